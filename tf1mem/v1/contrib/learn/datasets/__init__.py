"""contrib.learn's data sets: MNIST, DBpedia, CSV files, and what is drawn by NumPy."""
