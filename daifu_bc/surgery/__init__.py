"""Old code and new source -> where the run goes on; functions brought up to date."""
