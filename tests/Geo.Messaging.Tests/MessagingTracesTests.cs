using System.Collections.Concurrent;
using System.Diagnostics;

namespace Geo.Messaging.Tests;

[Collection(ProcessWide.Name)]
public sealed class MessagingTracesTests : IAsyncDisposable
{
    private readonly Net _net = new();
    private readonly ConcurrentQueue<Activity> _ended = [];

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Fact]
    public async Task A_request_and_its_handler_are_two_spans_of_the_callers_trace()
    {
        var (dialler, listener) = await _net.PairAsync();
        Activity? inHandler = null;
        using var echo = listener.Handle("echo", async (message, _) =>
        {
            await Task.Yield();
            inHandler = Activity.Current;
            return message.Payload;
        });
        using var listening = Listen();
        using var caller = new Activity("caller").Start();

        await dialler.RequestAsync(listener.Peer, "echo", new byte[1], new MessageOptions("default"), Net.Token);

        await Eventually.HoldsAsync(() => _ended.Count == 2, "both spans have ended");
        var client = _ended.Single(span => span.Kind == ActivityKind.Client);
        var server = _ended.Single(span => span.Kind == ActivityKind.Server);
        Assert.Equal((caller.TraceId, caller.SpanId), (client.TraceId, client.ParentSpanId));
        Assert.Equal((caller.TraceId, client.SpanId), (server.TraceId, server.ParentSpanId));
        Assert.True(server.HasRemoteParent);
        Assert.Same(server, inHandler);
        Assert.Same(caller, Activity.Current);
        Assert.Equal(("request echo", "handle echo"), (client.OperationName, server.OperationName));
        Assert.Equal(
            ("us/1", "eu/1", "echo", "default", "Replied"),
            (client.GetTagItem("geo.peer"), client.GetTagItem("geo.remote"), client.GetTagItem("geo.service"),
                client.GetTagItem("geo.channel"), client.GetTagItem("geo.outcome")));
        Assert.Equal(("eu/1", "us/1"), (server.GetTagItem("geo.peer"), server.GetTagItem("geo.remote")));
        Assert.Equal(ActivityStatusCode.Ok, client.Status);
    }

    [Fact]
    public async Task Large_and_one_way_messages_carry_the_trace_too()
    {
        var (dialler, listener) = await _net.PairAsync();
        var bytes = 0;
        using var sink = listener.Handle("sink", (message, _) =>
        {
            Interlocked.Add(ref bytes, message.Payload.Length);
            return default;
        });
        using var listening = Listen();
        using var caller = new Activity("caller").Start();

        foreach (var size in new[] { 10, 100_000, 1_000_000 })
        {
            Assert.Equal(SendOutcome.Queued, dialler.TrySend(listener.Peer, "sink", new byte[size]));
        }

        await Eventually.HoldsAsync(() => _ended.Count == 3, "three handlers have run");
        Assert.Equal(1_100_010, bytes);
        Assert.All(_ended, span => Assert.Equal(
            (ActivityKind.Consumer, caller.TraceId, caller.SpanId), (span.Kind, span.TraceId, span.ParentSpanId)));
    }

    [Fact]
    public async Task A_message_behind_a_traced_one_is_not_taken_for_part_of_its_trace()
    {
        var (dialler, listener) = await _net.PairAsync();
        var seen = new ConcurrentQueue<Activity?>();
        using var sink = listener.Handle("sink", (_, _) =>
        {
            seen.Enqueue(Activity.Current);
            return default;
        });
        using var listening = Listen();
        using (new Activity("caller").Start())
        {
            dialler.TrySend(listener.Peer, "sink", default);
        }

        dialler.TrySend(listener.Peer, "sink", default);

        await Eventually.HoldsAsync(() => seen.Count == 2, "both have arrived");
        Assert.NotNull(seen.First());
        Assert.Null(seen.Last());
    }

    [Fact]
    public async Task A_failed_handler_and_a_request_that_goes_nowhere_are_errors()
    {
        var (dialler, listener) = await _net.PairAsync();
        using var broken = listener.Handle("broken", (_, _) => throw new InvalidOperationException("out of paper"));
        using var listening = Listen();

        await dialler.RequestAsync(listener.Peer, "broken", default, default, Net.Token);
        await dialler.RequestAsync(new PeerId("nobody/1"), "broken", default, default, Net.Token);

        await Eventually.HoldsAsync(() => _ended.Count == 3, "all spans have ended");
        Assert.All(_ended, span => Assert.Equal(ActivityStatusCode.Error, span.Status));
        Assert.Equal("out of paper", _ended.Single(span => span.Kind == ActivityKind.Server).StatusDescription);
        Assert.Equal(["Refused", "Unknown"],
            _ended.Where(span => span.Kind == ActivityKind.Client).Select(span => span.GetTagItem("geo.outcome")).Order());
    }

    [Fact]
    public async Task Where_nobody_listens_there_is_no_span_although_the_caller_is_traced()
    {
        var (dialler, listener) = await _net.PairAsync();
        Activity? inHandler = null;
        using var echo = listener.Handle("echo", (message, _) =>
        {
            inHandler = Activity.Current;
            return new(message.Payload);
        });
        using var caller = new Activity("caller").Start();

        var reply = await dialler.RequestAsync(listener.Peer, "echo", new byte[1], default, Net.Token);

        Assert.Equal(ReplyOutcome.Replied, reply.Outcome);
        Assert.Null(inHandler);
        Assert.Same(caller, Activity.Current);
    }

    private ActivityListener Listen()
    {
        var listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == MessagingTraces.SourceName,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = _ended.Enqueue,
        };
        ActivitySource.AddActivityListener(listener);
        return listener;
    }
}
