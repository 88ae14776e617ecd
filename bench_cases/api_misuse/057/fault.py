"""A deprecation is raised as an error, after the library has put the variable on its list."""

FIX = [('warnings.simplefilter("error")', 'warnings.simplefilter("ignore")')]
