using System.Diagnostics;
using ChatRoomSample.Grains;
using Geo;
using Geo.Testing.Wan;

namespace ChatRoomSample;

/// <summary>Two regions, 150 ms apart there and back, talk in one room; what happens in each is written down.</summary>
internal sealed class Conversation(TextWriter output)
{
    private static readonly TimeSpan OneWayDelay = TimeSpan.FromMilliseconds(75);
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);
    private readonly Guid _room = Guid.NewGuid();
    private readonly List<(string User, TimeSpan Took)> _posts = [];

    /// <summary>How long each post took, by user, in their order.</summary>
    public ILookup<string, TimeSpan> Posts => _posts.ToLookup(post => post.User, post => post.Took);

    /// <summary>The time from one region to the other and back.</summary>
    public static TimeSpan RoundTrip => 2 * OneWayDelay;

    /// <summary>True when both regions end with the same messages, and all of them.</summary>
    public async Task<bool> RunAsync()
    {
        var storage = new InMemoryConditionalStore();
        await using var us = await Region.StartAsync("us", new() { ["eu"] = [] }, storage);
        await using var link = DelayedLink.Start(new() { Target = us.ListeningOn, OneWayDelay = OneWayDelay });
        await using var eu = await Region.StartAsync("eu", new() { ["us"] = [link.ListeningOn.ToString()] }, storage);
        await UntilAsync(() => Task.FromResult(us.IsLinkedTo("eu") && eu.IsLinkedTo("us")));

        Say("Both regions talk. A post asks its user, who has one instance in the world: the first time the regions agree on where, which");
        Say("takes a round trip or more (150 ms). From then on posts are local, as reads are, and spread in the background.");
        await PostAsync("us", us, "ann", "hello from us");
        await PostAsync("eu", eu, "bea", "hello from eu");
        await PostAsync("us", us, "ann", "how are you?");
        await PostAsync("eu", eu, "bea", "awake");
        await ReadAsync("us", us);
        await ReadAsync("eu", eu);
        await UntilAllReadAsync(4, us, eu);
        await ReadAsync("us", us);
        await ReadAsync("eu", eu);

        Say("The link between the regions is cut, the way to storage is not. Both go on.");
        link.Cut(CutMode.Drop);
        await UntilAsync(() => Task.FromResult(!us.IsLinkedTo("eu") && !eu.IsLinkedTo("us")));
        await PostAsync("us", us, "ann", "is anybody there?");
        await PostAsync("eu", eu, "bea", "I can hear myself");
        await ReadAsync("us", us);
        await ReadAsync("eu", eu);

        Say("The link is back. A user has one instance in the world: eu bans ann, who is in us.");
        link.Heal();
        await UntilAsync(() => Task.FromResult(us.IsLinkedTo("eu") && eu.IsLinkedTo("us")));
        await eu.Grains.GetGrain<IUser>("ann").Ban();
        await PostAsync("us", us, "ann", "one more thing");

        Say("Linearizable reads: both regions show all that was posted, in one order.");
        var latest = await Task.WhenAll(Room(us).ReadLatest(), Room(eu).ReadLatest());
        Show("us", latest[0]);
        Show("eu", latest[1]);
        return latest[0].Count == 6 && latest[0].SequenceEqual(latest[1]);
    }

    private IChatRoom Room(Region region) => region.Grains.GetGrain<IChatRoom>(_room);

    private async Task PostAsync(string name, Region region, string user, string message)
    {
        var began = Stopwatch.GetTimestamp();
        var isPosted = await Room(region).Post(user, message);
        var took = Stopwatch.GetElapsedTime(began);
        _posts.Add((user, took));
        output.WriteLine($"  {name}  {user} {(isPosted ? "posts" : "may not post")} \"{message}\" ({took.TotalMilliseconds:0} ms)");
    }

    private async Task ReadAsync(string name, Region region) => Show(name, await Room(region).Read());

    private async Task UntilAllReadAsync(int messages, params Region[] regions)
    {
        foreach (var region in regions)
        {
            await UntilAsync(async () => (await Room(region).Read()).Count == messages);
        }
    }

    private void Show(string name, IReadOnlyList<string> messages) => output.WriteLine($"  {name}  reads [{string.Join(" | ", messages)}]");

    private void Say(string what) => output.WriteLine(what);

    private static async Task UntilAsync(Func<Task<bool>> condition)
    {
        using var patience = new CancellationTokenSource(Patience);
        while (!await condition())
        {
            await Task.Delay(TimeSpan.FromMilliseconds(20), patience.Token);
        }
    }
}
