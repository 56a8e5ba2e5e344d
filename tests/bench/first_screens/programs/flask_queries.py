"""A Flask service answers 300 requests; each asks the database once for every author, although one join would do."""
import sqlite3

from flask import Flask, jsonify

AUTHORS, BOOKS, REQUESTS = 400, 8, 300
app = Flask(__name__)
db = sqlite3.connect(":memory:", check_same_thread=False)


def titles_of(author):
    return [row[0] for row in db.execute("SELECT title FROM book WHERE author = ? ORDER BY title", (author,))]  # the cause


@app.get("/authors")
def authors():
    rows = db.execute("SELECT id, name FROM author").fetchall()
    return jsonify([{"name": name, "books": len(titles_of(number))} for number, name in rows])


def fill():
    db.execute("CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT)")
    db.execute("CREATE TABLE book(author INTEGER, title TEXT)")
    db.execute("CREATE INDEX book_author ON book(author)")
    db.executemany("INSERT INTO author VALUES(?, ?)", ((i, "author %d" % i) for i in range(AUTHORS)))
    db.executemany("INSERT INTO book VALUES(?, ?)", ((i % AUTHORS, "title %d" % i) for i in range(AUTHORS * BOOKS)))


if __name__ == "__main__":
    fill()
    client = app.test_client()
    for _ in range(REQUESTS):
        assert client.get("/authors").status_code == 200
