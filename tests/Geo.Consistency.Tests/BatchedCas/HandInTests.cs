using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.BatchedCas;

/// <summary>What an instance does with updates that another one hands in to it.</summary>
public sealed class HandInTests
{
    private const long Guest = 77;
    private static readonly ClusterId From = new("z");

    [Fact]
    public void What_is_handed_in_is_written_once_however_often_it_comes()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(async () =>
        {
            await WriteAsync(a, "a1");
            Assert.Equal(HandInAnswer.Written, await AskAsync(a, since: 1, (1, null, "g1"), (2, null, "g2")));
            Assert.Equal(HandInAnswer.See, await AskAsync(a, since: 1, (1, null, "g1"), (2, null, "g2")));
            Assert.Equal(HandInAnswer.Written, await AskAsync(a, since: 1, (2, null, "g2"), (3, null, "g3")));
        });

        Assert.Equal(["a1", "g1", "g2", "g3"], world.Stored.Lines);
    }

    [Fact]
    public void What_its_instance_has_written_itself_meanwhile_is_not_written_again()
    {
        var world = new CasWorld();
        var (a, b) = (world.Add(), world.Add());
        world.Run(async () =>
        {
            await WriteAsync(b, "b1");
            await WriteAsync(a, "a1");
            Assert.Equal(HandInAnswer.See, await AskAsync(a, b.View.InstanceId, since: 0, (1, null, "b1")));
            Assert.Equal(HandInAnswer.Written, await AskAsync(a, b.View.InstanceId, since: 0, (1, null, "b1"), (2, null, "b2")));
        });

        Assert.Equal(["b1", "a1", "b2"], world.Stored.Lines);
    }

    [Fact]
    public void Own_updates_and_those_of_all_guests_go_into_one_write()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(async () =>
        {
            await WriteAsync(a, "a1");
            var asked = Enumerable.Range(1, 5).Select(i => AskAsync(a, Guest + i, since: 1, (1, null, $"g{i}"))).ToList();
            var own = WriteAsync(a, "a2");
            Assert.All(await Task.WhenAll(asked), answer => Assert.Equal(HandInAnswer.Written, answer));
            await own;
        });

        Assert.InRange(world.Store.Writes, 2, 3);
        Assert.Equal(7, world.Stored.Lines.Distinct().Count());
    }

    [Fact]
    public void A_condition_holds_on_its_version_or_nothing_from_it_on_is_written()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(async () =>
        {
            await WriteAsync(a, "a1");
            Assert.Equal(HandInAnswer.See, await AskAsync(a, since: 1, (1, 5L, "g1")));
            Assert.Equal(HandInAnswer.Written, await AskAsync(a, since: 1, (2, null, "g2"), (3, 2L, "g3")));
            Assert.Equal(HandInAnswer.Written, await AskAsync(a, since: 1, (4, null, "g4"), (5, 9L, "g5")));
        });

        Assert.Equal(["a1", "g2", "g3", "g4"], world.Stored.Lines);
    }

    [Fact]
    public void A_condition_raised_while_the_updates_of_others_are_written_is_refused()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(async () =>
        {
            await WriteAsync(a, "a1");
            var asked = AskAsync(a, since: 1, (1, null, "g1"));
            await world.Delay(1);
            Assert.False(await a.Lane.RunAsync(() => a.View.TryEnqueueAsync(["a2"])));
            await asked;
        });

        Assert.Equal(["a1", "g1"], world.Stored.Lines);
    }

    [Fact]
    public void Who_did_not_write_last_says_who_did()
    {
        var world = new CasWorld();
        var (a, b) = (world.Add(), world.Add());
        world.Run(async () =>
        {
            await WriteAsync(a, "a1");
            await WriteAsync(b, "b1");
            await world.Delay(50);
            Assert.Equal(HandInAnswer.NotWriter, await AskAsync(a, since: 2, (1, null, "g1")));
        });

        Assert.Equal(["a1", "b1"], world.Stored.Lines);
    }

    [Theory]
    [InlineData(CountingSerializer.Unwritable)]
    [InlineData("\0not JSON")]
    public void What_cannot_be_read_or_written_is_refused_and_the_own_updates_go_on(string update)
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(async () =>
        {
            await WriteAsync(a, "a1");
            Assert.Equal(HandInAnswer.Refused, await AskAsync(a, since: 1, (1, null, update)));
            await WriteAsync(a, "a2");
        });

        Assert.Equal(["a1", "a2"], world.Stored.Lines);
        Assert.Empty(a.Listener.Arisen);
    }

    [Fact]
    public void More_than_there_is_room_for_is_refused()
    {
        var world = new CasWorld { Options = new() { MaxGuestBytes = 100, MaxPending = 3 } };
        var a = world.Add();
        world.Run(async () =>
        {
            await WriteAsync(a, "a1");
            Assert.Equal(HandInAnswer.Refused, await AskAsync(a, since: 1, (1, null, new string('g', 100))));
            Assert.Equal(
                HandInAnswer.Refused,
                await AskAsync(a, since: 1, (1, null, "1"), (2, null, "2"), (3, null, "3"), (4, null, "4")));
            Assert.Equal(HandInAnswer.Written, await AskAsync(a, since: 1, (1, null, "1"), (2, null, "2"), (3, null, "3")));
        });
    }

    [Fact]
    public void Where_the_room_of_a_write_is_short_nobody_is_left_out()
    {
        var world = new CasWorld { Options = new() { MaxBatch = 4 } };
        var a = world.Add();
        world.Run(async () =>
        {
            await WriteAsync(a, "a0");
            await a.Do(view =>
            {
                for (var i = 1; i <= 8; i++)
                {
                    view.Enqueue($"a{i}");
                }
            });
            var answer = await AskAsync(a, since: 1, [.. Enumerable.Range(1, 8).Select(i => ((long)i, (long?)null, $"g{i}"))]);
            Assert.Equal(HandInAnswer.Written, answer);
            Assert.Equal(["a0", "a1", "a2", "a3", "a4", "a5", "a6", "g1", "g2"], world.Stored.Lines.Take(9));
        });
    }

    [Fact]
    public void A_guest_whose_number_may_have_been_displaced_is_left_to_itself()
    {
        var world = new CasWorld { Options = new() { MaxInstances = 2 } };
        var a = world.Add();
        world.Run(async () =>
        {
            await WriteAsync(a, "a1");
            Assert.Equal(HandInAnswer.Written, await AskAsync(a, Guest, since: 1, (1, null, "g1")));
            Assert.Equal(HandInAnswer.Written, await AskAsync(a, Guest + 1, since: 2, (1, null, "h1")));
            Assert.Equal(HandInAnswer.See, await AskAsync(a, Guest, since: 1, (1, null, "g1")));
        });

        Assert.Equal(["a1", "g1", "h1"], world.Stored.Lines);
    }

    [Fact]
    public void Who_waits_for_an_instance_that_ends_is_told()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(async () =>
        {
            await WriteAsync(a, "a1");
            world.Store.Gate = new();
            var asked = AskAsync(a, since: 1, (1, null, "g1"));
            await world.Delay(10);
            await a.Do(view => view.DisposeAsync().AsTask());
            Assert.Equal(HandInAnswer.NotWriter, await asked);
            world.Store.Gate.SetResult();
        });
    }

    [Fact]
    public void Who_wrote_last_tells_the_version_that_is_the_latest_after_it_was_asked()
    {
        var world = new CasWorld();
        var (a, b) = (world.Add("a"), world.Add("a"));
        world.Run(async () =>
        {
            await WriteAsync(a, "a1");
            Assert.Equal((HandInAnswer.Written, 1), await AskForVersionAsync(a, known: 1));
            await WriteAsync(b, "b1");
            Assert.Equal((HandInAnswer.Written, 2), await AskForVersionAsync(a, known: 1));
            Assert.Equal((HandInAnswer.NotWriter, 0), await AskForVersionAsync(a, known: 1));
        });
    }

    [Fact]
    public void An_update_that_was_handed_in_and_cannot_be_written_ends_as_unknown_and_the_others_go_on()
    {
        var world = new CasWorld();
        var (a, b) = (world.Add(), world.Add());
        world.Run(async () =>
        {
            for (var i = 0; i < 4; i++)
            {
                await a.Do(view => view.Enqueue($"a{i}"));
                await b.Do(view => view.Enqueue($"b{i}"));
                await world.Delay(3);
            }

            await Task.WhenAll(a.Do(view => view.ConfirmAsync()), b.Do(view => view.ConfirmAsync()));
            await b.Do(async view =>
            {
                view.Enqueue(CountingSerializer.Unwritable);
                var failure = await Assert.ThrowsAnyAsync<GeoException>(() => view.ConfirmAsync());
                Assert.Contains("cannot be written", failure.Message, StringComparison.Ordinal);
                view.Enqueue("b9");
                await view.ConfirmAsync();
            });
        });

        Assert.Equal(9, world.Stored.Lines.Distinct().Count());
    }

    private static Task WriteAsync(CasWorld.Instance instance, string update) => instance.Do(async view =>
    {
        view.Enqueue(update);
        await view.ConfirmAsync();
    });

    private static async Task<(HandInAnswer Answer, long Version)> AskForVersionAsync(CasWorld.Instance helper, byte known)
    {
        byte[] message = [(byte)CasMessage.Refresh, known];
        var reply = await helper.Lane.RunAsync(() => helper.View.ReceiveAsync(From, message, default).AsTask());
        var answer = (HandInAnswer)reply.Span[0];
        return (answer, answer == HandInAnswer.Written ? CasNotification.Read(reply[1..]).Version : 0);
    }

    private static Task<HandInAnswer> AskAsync(
        CasWorld.Instance helper, long since, params (long Number, long? Expected, string Update)[] updates) =>
        AskAsync(helper, Guest, since, updates);

    private static async Task<HandInAnswer> AskAsync(
        CasWorld.Instance helper, long guest, long since, params (long Number, long? Expected, string Update)[] updates)
    {
        var message = HandInCodec.TryWrite(
            [.. updates.Select(u => new HandInGroup(u.Number, 1, u.Expected))], i => updates[i].Update, guest, since, default, 1 << 20,
            new RawSerializer())!.Value.Message;
        var reply = await helper.Lane.RunAsync(() => helper.View.ReceiveAsync(From, message, default).AsTask());
        return (HandInAnswer)reply.Span[0];
    }
}
