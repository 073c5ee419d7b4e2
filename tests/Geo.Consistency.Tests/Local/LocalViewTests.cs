using Geo.Consistency.Tests.Kit;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.Local;

public sealed class LocalViewTests
{
    [Fact]
    public async Task Every_update_is_confirmed_at_once()
    {
        var listener = new Listener();
        await using var view = Create(listener);
        view.Start();
        view.Enqueue("u1");
        view.Enqueue(["u2", "throws"]);
        Assert.True(await view.TryEnqueueAsync(["u3"]));
        await view.ConfirmAsync();
        await view.RefreshAsync();

        Assert.Equal(4, view.Version);
        Assert.Equal(["u1", "u2", "u3"], view.Confirmed.Lines);
        Assert.Same(view.Confirmed, view.Tentative);
        Assert.Empty(view.Unconfirmed);
        Assert.Null(view.Issue);
        Assert.Equal((3, 3), (listener.Confirmed, listener.Tentative));
    }

    [Fact]
    public async Task What_is_raised_on_an_instance_that_was_given_up_is_refused()
    {
        var view = Create(new Listener());
        view.Enqueue("u1");
        await view.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(() => view.Enqueue("u2"));
        Assert.Throws<ObjectDisposedException>(() => view.Enqueue(["u2", "u3"]));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => view.TryEnqueueAsync(["u2"]));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => view.UpdateAsync(
            "u2", ViewUpdate.Confirmed, TestContext.Current.CancellationToken));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => view.ConfirmAsync());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => view.RefreshAsync());
        Assert.Equal(1, view.Version);
    }

    private static LocalView<Notes, string> Create(IViewObserver listener) => new(
        new("notes", "1"), new NotesModel(), new("a"),
        new(new CountingSerializer(), _ => throw new InvalidOperationException(), TimeProvider.System, new Random(1),
            NullLoggerFactory.Instance),
        listener);
}
