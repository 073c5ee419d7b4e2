using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.BatchedCas;

/// <summary>Updates whose state cannot be written are taken out and reported; all others go on.</summary>
public sealed class QuarantineTests
{
    [Theory]
    [InlineData(CountingSerializer.Unwritable)]
    [InlineData(CountingSerializer.Throws)]
    public void An_update_whose_state_cannot_be_written_is_reported_and_the_others_go_on(string unwritable)
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            await view.RefreshAsync();
            view.Enqueue("u1");
            var before = view.ConfirmAsync();
            view.Enqueue(unwritable);
            var confirm = view.ConfirmAsync();
            var refresh = view.RefreshAsync();
            view.Enqueue("u2");

            var reason = await Assert.ThrowsAsync<GeoSerializationException>(() => confirm);
            Assert.Contains("cannot be written", reason.Message, StringComparison.Ordinal);
            await Assert.ThrowsAsync<GeoSerializationException>(() => refresh);
            await before;
            await view.ConfirmAsync();
            Assert.Equal(["u1", "u2"], view.Tentative.Lines);
            view.Enqueue("u3");
            await view.RefreshAsync();
            Assert.Equal((3, null), (view.Version, view.Issue));
        }));

        Assert.Equal(["u1", "u2", "u3"], world.Stored.Lines);
        Assert.Single(a.Listener.Arisen);
    }

    [Fact]
    public void An_update_whose_state_is_larger_than_the_store_takes_is_reported_and_the_others_go_on()
    {
        var world = new CasWorld { Store = { Inner = new(maxValueBytes: 2_000) } };
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            view.Enqueue("u1");
            view.Enqueue(new string('x', 3_000));
            var large = view.ConfirmAsync();
            view.Enqueue("u2");

            Assert.Contains("2000", (await Assert.ThrowsAsync<GeoSerializationException>(() => large)).Message, StringComparison.Ordinal);
            await view.ConfirmAsync();
            Assert.Null(view.Issue);
        }));

        Assert.Equal(["u1", "u2"], world.Stored.Lines);
    }

    [Fact]
    public void Every_such_update_is_found_wherever_it_is_and_a_group_goes_as_a_whole()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            await view.RefreshAsync();
            for (var i = 0; i < 30; i++)
            {
                view.Enqueue(i % 7 == 3 ? [$"g{i}", CountingSerializer.Unwritable, $"h{i}"] : [$"g{i}", $"h{i}"]);
            }

            await Assert.ThrowsAsync<GeoSerializationException>(() => view.ConfirmAsync());
            await view.ConfirmAsync();
        }));

        Assert.Equal(
            Enumerable.Range(0, 30).Where(i => i % 7 != 3).SelectMany(i => new[] { $"g{i}", $"h{i}" }), world.Stored.Lines);
    }

    [Fact]
    public void A_conditional_update_hears_of_it_and_those_raised_on_top_of_it_are_refused()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            await view.RefreshAsync();
            var first = view.TryEnqueueAsync(["u1"]);
            var unwritable = view.TryEnqueueAsync([CountingSerializer.Unwritable]);
            var onTop = view.TryEnqueueAsync(["u2"]);
            view.Enqueue("u3");

            await Assert.ThrowsAsync<GeoSerializationException>(() => unwritable);
            Assert.False(await onTop);
            Assert.True(await first);
            await view.ConfirmAsync();
        }));

        Assert.Equal(["u1", "u3"], world.Stored.Lines);
    }

    [Fact]
    public void An_update_that_may_have_been_applied_before_is_in_the_sequence_once()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Store.Script[1] = Fault.AppliedUnheard;
        world.Run(() => a.Do(async view =>
        {
            await view.RefreshAsync();
            view.Enqueue("u1");
            var first = view.ConfirmAsync();
            await world.Delay(3);
            view.Enqueue(CountingSerializer.Unwritable);
            view.Enqueue("u2");
            await Assert.ThrowsAsync<GeoSerializationException>(() => view.ConfirmAsync());
            await first;
            await view.ConfirmAsync();
        }));

        Assert.Equal(["u1", "u2"], world.Stored.Lines);
    }

    [Fact]
    public void Nothing_is_taken_out_when_it_is_the_last_version_that_cannot_be_written()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            view.Enqueue("u1");
            await view.ConfirmAsync();
            a.Serializer.RefusesAll = true;
            view.Enqueue("u2");
            await Assert.ThrowsAsync<GeoSerializationException>(() => view.ConfirmAsync());
            Assert.Equal(["u2"], view.Unconfirmed);
            a.Serializer.RefusesAll = false;
            await view.ConfirmAsync();
        }));

        Assert.Equal(["u1", "u2"], world.Stored.Lines);
    }
}
