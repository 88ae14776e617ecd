"""The draw gets its range here, and the function's default is put right for the images to come."""


def on_crash(crash):
    from daifu_bc import Retry

    crash.run("least = 3")
    crash.globals["encode"].__defaults__ = (3, 10)
    return Retry()
