"""contrib.learn's preprocessing: texts and categories as ids."""
