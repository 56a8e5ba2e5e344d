"""Trains a classifier of small images on the CPU; its own augmentation moves each pixel by itself, in Python."""
import numpy

SIZE, IMAGES, EPOCHS = 16, 400, 24


def augment(images, dice):
    moved = numpy.zeros_like(images)
    for number, (x, y) in enumerate(dice.integers(-2, 3, (len(images), 2))):
        for row in range(SIZE):
            for column in range(SIZE):
                moved[number, row, column] = images[number, (row + y) % SIZE, (column + x) % SIZE]  # the cause
    return moved


def torch_step():
    import torch
    model = torch.nn.Sequential(torch.nn.Linear(SIZE * SIZE, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)

    def step(images, labels):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(torch.from_numpy(images)), torch.from_numpy(labels)).backward()
        optimizer.step()
    return step


def sklearn_step():
    from sklearn.neural_network import MLPClassifier
    model = MLPClassifier((64,), batch_size=100)
    return lambda images, labels: model.partial_fit(images, labels, classes=range(4))


def main():
    dice = numpy.random.default_rng(1)
    images = dice.random((IMAGES, SIZE, SIZE), numpy.float32)
    labels = dice.integers(0, 4, IMAGES)
    try:
        step = torch_step()
    except ImportError:
        step = sklearn_step()
    for _ in range(EPOCHS):
        step(augment(images, dice).reshape(IMAGES, SIZE * SIZE), labels)


main()
