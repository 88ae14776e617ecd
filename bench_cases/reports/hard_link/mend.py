"""The line becomes a copy, and the save goes on behind the rename."""

from mending import edit


def on_crash(crash):
    crash.run("import shutil")
    crash.globals["shutil"] = crash.run("shutil")
    return edit(crash, ('os.link("last.pkl", name)', 'shutil.copy2("last.pkl", name)'))
