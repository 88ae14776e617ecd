"""Protecting a program without a change to its source, from the main module's first line."""
