"""Pictures with Matplotlib: of models, of single predictions, of tensors and of studies.

Every function here draws what a table already says. It takes the axes to draw on, or makes a
figure, returns the axes, and never shows anything. What is drawn can be read without colours:
poles differ in hatching, lines in style and markers, and numbers are written beside bars.
Matplotlib is loaded with the first picture.
"""
