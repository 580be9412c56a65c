"""`python -m writhe` is the command line, as `writhe` is."""

from writhe.cli import main

if __name__ == "__main__":
    main()
