"""Exactly at the boundary no branch binds the name."""

FIX = [("elif epoch > 2:", "elif epoch >= 2:")]
