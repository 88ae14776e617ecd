"""An exception -> is it a crash? -> what is known of it. Reads frames, changes nothing by itself."""
