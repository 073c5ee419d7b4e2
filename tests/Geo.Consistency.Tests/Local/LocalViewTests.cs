using Geo.Consistency.Tests.Kit;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.Local;

public sealed class LocalViewTests
{
    [Fact]
    public async Task Every_update_is_confirmed_at_once()
    {
        var listener = new Listener();
        await using var view = new LocalView<Notes, string>(
            new("notes", "1"), new NotesModel(), new("a"),
            new(new CountingSerializer(), _ => throw new InvalidOperationException(), TimeProvider.System, new Random(1),
                NullLoggerFactory.Instance),
            listener);
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
}
