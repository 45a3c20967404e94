"""Files with Python in them: notebooks and documents."""
