"""Pages for people without Python: one file of HTML with tables, pictures and a small script.

A model becomes plain tables (``tables.py``), tables become sections of static HTML and SVG
(``sections``, ``svg.py``), and sections become one file (``page.py``), which the script in
``assets`` then makes searchable. Nothing in a page is fetched from anywhere.
"""
