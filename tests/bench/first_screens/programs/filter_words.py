"""A command that does little; the module that it imports takes long to come up."""
import argparse

import stop_words


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("text", nargs="*", default=["the", "word1x1", "tea"])
    for word in parser.parse_args().text:
        if not stop_words.is_stop_word(word):
            print(word)


main()
