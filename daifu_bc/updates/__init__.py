"""An edit of a file brought to the functions, modules and classes that are alive."""
