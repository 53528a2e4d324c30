"""What others have published as packages, called as their users would call them."""
