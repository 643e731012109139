"""Opens a page of HTML in Chromium, without a window, and judges what it sees.

    check_page.py PAGE PICTURES [HEADING...]

Fails where a script of the page fails, the page is wider than 1280 pixels, a text is
smaller than 11, a picture is empty or has texts that overlap or stick out, or where there
are not as many PICTURES, or a HEADING is missing.
"""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WIDTH = 1280
LEAST_TEXT = 11
BROWSERS = ("chromium-headless-shell", "chromium")

# Before all other scripts of the page.
WATCH = """<script>
window.faults = [];
addEventListener('error', event => faults.push(event.message));
</script>"""

MEASURE = """<script>
addEventListener('load', () => {
  const box = e => { const r = e.getBoundingClientRect();
    return [r.left, r.top, r.right, r.bottom]; };
  const shapes = 'rect, line, circle, polygon, path';
  const seen = {faults, width: document.documentElement.scrollWidth, texts: [],
    headings: [...document.querySelectorAll('h1, h2, h3')].map(h => h.textContent)};
  seen.pictures = [...document.querySelectorAll('svg')].map(svg => ({
    box: box(svg),
    shapes: [...svg.querySelectorAll(shapes)].map(box),
    texts: [...svg.querySelectorAll('text')].map(t => ({text: t.textContent, box: box(t),
      turned: t.hasAttribute('transform')}))}));
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (walker.currentNode.textContent.trim() && parent.checkVisibility())
      seen.texts.push(parseFloat(getComputedStyle(parent).fontSize));
  }
  const row = document.querySelector('tr.row:not(.empty) td');
  if (row) { row.click(); seen.marks = document.querySelectorAll('tr.on').length; }
  const result = document.createElement('pre');
  result.id = 'measured';
  result.textContent = JSON.stringify(seen);
  document.body.append(result);
});
</script>"""


def measure(page):
    """What the browser says of the page, and what it writes to its console."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"error: expected one of {', '.join(BROWSERS)}")
    text = page.read_text(encoding="utf-8")
    text = text.replace("<head>", "<head>" + WATCH, 1)
    text = text.replace("</body>", MEASURE + "</body>", 1)
    with tempfile.TemporaryDirectory() as folder:
        watched = pathlib.Path(folder) / "page.html"
        watched.write_text(text, encoding="utf-8")
        run = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
             f"--window-size={WIDTH},900", "--enable-logging=stderr",
             f"--user-data-dir={folder}/profile", watched.as_uri()],
            capture_output=True, text=True, check=True, timeout=300)
    found = re.search(r'<pre id="measured">(.*?)</pre>', run.stdout, re.DOTALL)
    if found is None:
        sys.exit(f"error: expected the page to load, got:\n{run.stderr}")
    seen = json.loads(html.unescape(found.group(1)))
    seen["faults"] += re.findall(r"CONSOLE.*", run.stderr)
    return seen


def overlap(one, other):
    """By more than a pixel along both axes."""
    return all(min(one[i + 2], other[i + 2]) - max(one[i], other[i]) > 1 for i in (0, 1))


def is_inside(box, outer):
    return all(box[i] >= outer[i] - 1 and box[i + 2] <= outer[i + 2] + 1 for i in (0, 1))


def judge_picture(picture):
    width, height = (picture["box"][i + 2] - picture["box"][i] for i in (0, 1))
    if width < 100 or height < 100:
        yield f"expected a picture that is drawn, got {width} x {height} pixels"
    drawn = [b for b in picture["shapes"] if b[2] - b[0] > 0 or b[3] - b[1] > 0]
    if len(drawn) < 10:
        yield f"expected a picture of at least 10 shapes, got {len(drawn)}"
    for shape in drawn:
        if not is_inside(shape, picture["box"]):
            yield f"expected shapes within the picture, got one at {shape}"
    texts = picture["texts"]
    if not texts:
        yield "expected a picture with labels, got none"
    for n, text in enumerate(texts):
        if not is_inside(text["box"], picture["box"]):
            yield f"expected labels within the picture, got '{text['text']}' outside"
        for other in texts[:n]:
            # The box of a turned text is larger than the text.
            turned = text["turned"] or other["turned"]
            if not turned and overlap(text["box"], other["box"]):
                yield f"labels overlap: '{text['text']}' and '{other['text']}'"


def judge(seen, pictures, headings):
    for fault in seen["faults"]:
        yield f"expected no fault of a script, got '{fault}'"
    if seen["width"] > WIDTH:
        yield f"expected at most {WIDTH} pixels, got {seen['width']}"
    if min(seen["texts"]) < LEAST_TEXT:
        yield f"expected text of at least {LEAST_TEXT} pixels, got {min(seen['texts'])}"
    if len(seen["pictures"]) != pictures:
        yield f"expected {pictures} pictures, got {len(seen['pictures'])}"
    for picture in seen["pictures"]:
        yield from judge_picture(picture)
    if seen.get("marks") == 0:
        yield "expected a click to mark the line, got no mark"
    for heading in headings:
        if heading not in seen["headings"]:
            yield f"expected a heading '{heading}', got {seen['headings']}"


def main():
    page, pictures, *headings = sys.argv[1:]
    faults = list(judge(measure(pathlib.Path(page)), int(pictures), headings))
    for fault in faults:
        print(f"{page}: {fault}")
    print(f"{page}: {'FAILED' if faults else 'passed'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
