using System.Diagnostics.Metrics;

namespace Geo.Messaging.Tests;

/// <summary>A link opens only between nodes whose hosts are content with what the other tells, and before anything travels on it.</summary>
public sealed class PeerFactsTests : IAsyncDisposable
{
    private readonly Net _net = new();

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Fact]
    public async Task Nodes_whose_facts_fit_are_linked()
    {
        var listener = await ListenAsync("eu/1", "shared");
        var dialler = await StartAsync("us/1", "shared");

        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));

        await Net.ConnectedAsync(listener, dialler);
    }

    [Fact]
    public async Task Nodes_whose_facts_do_not_fit_both_say_why_and_count_it_and_are_not_linked()
    {
        using var counted = new MeterListener();
        var refusals = 0L;
        counted.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Name == "geo.messaging.refusals")
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        counted.SetMeasurementEventCallback<long>((_, count, tags, _) =>
        {
            if (tags.ToArray().Any(tag => tag is { Key: "geo.reason", Value: "Unfit" }))
            {
                Interlocked.Add(ref refusals, count);
            }
        });
        counted.Start();
        var listener = await ListenAsync("eu/1", "one");
        var dialler = await StartAsync("us/1", "other");
        var (atListener, atDialler) = (Refusals.Next(listener), Refusals.Next(dialler));

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));

        const string Why = "us/1 says 'other' where 'one' is said; say the same";
        Assert.Contains(Why, refused.Message, StringComparison.Ordinal);
        var (here, there) = (await Eventually.InTimeAsync(atDialler), await Eventually.InTimeAsync(atListener));
        Assert.Equal((RefusalReason.Unfit, true, Why), (here.Reason, here.RefusedByRemote, here.Message));
        Assert.Equal((RefusalReason.Unfit, false, Why), (there.Reason, there.RefusedByRemote, there.Message));
        Assert.Empty(dialler.Members);
        Assert.Empty(listener.Members);
        Assert.True(Interlocked.Read(ref refusals) >= 2);
    }

    [Fact]
    public async Task A_dialler_refuses_a_listener_that_has_nothing_against_it()
    {
        var listener = await _net.ListenAsync("eu/1");
        var dialler = await StartAsync("us/1", "ours");
        var atDialler = Refusals.Next(dialler);

        dialler.Connect(listener.ListeningOn!);

        var refusal = await Eventually.InTimeAsync(atDialler);
        Assert.Equal((RefusalReason.Unfit, false), (refusal.Reason, refusal.RefusedByRemote));
        Assert.Empty(dialler.Members);
        Assert.Empty(listener.Members);
    }

    [Fact]
    public async Task Damaged_facts_are_refused()
    {
        var listener = await ListenAsync("eu/1", "ours");
        var dialler = await StartAsync("us/1", "damaged");
        var atDialler = Refusals.Next(dialler);

        dialler.Connect(listener.ListeningOn!);

        Assert.Equal(RefusalReason.Malformed, (await Eventually.InTimeAsync(atDialler)).Reason);
    }

    [Fact]
    public async Task A_client_is_not_asked_for_facts()
    {
        var listener = await ListenAsync("eu/1", "ours");
        var client = await _net.StartAsync("client");

        await Eventually.InTimeAsync(client.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));

        await Net.ConnectedAsync(listener, client);
    }

    [Fact]
    public async Task Facts_beyond_the_limit_end_the_start()
    {
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => StartAsync("us/1", new string('x', IPeerFacts.MaxBytes + 1)));

        Assert.Contains($"Facts are {IPeerFacts.MaxBytes + 1} bytes", refused.Message, StringComparison.Ordinal);
    }

    private Task<MessagingNode> ListenAsync(string peer, string word) =>
        _net.ListenAsync(peer, options => options with { Facts = new SaidFacts(word) });

    private Task<MessagingNode> StartAsync(string peer, string word) =>
        _net.StartAsync(peer, options => options with { Facts = new SaidFacts(word) });
}
