using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices;

public sealed class LatticeTests
{
    private static readonly ReplicaId A = new(1);
    private static readonly ReplicaId B = new(2);

    [Fact]
    public void An_addition_wins_over_a_concurrent_removal_and_gives_way_to_one_that_saw_it()
    {
        var first = Dotted<OrSet<string>>.Bottom.Content.Add(new(A, 1), "x");
        var removal = first.Content.Remove(new(B, 1), "x");
        var again = first.Content.Add(new(A, 2), "x");
        Assert.True(first.Merge(removal).Merge(again).Content.Contains("x"));
        Assert.False(first.Merge(again).Merge(first.Merge(again).Content.Remove(new(B, 2), "x")).Content.Contains("x"));
    }

    [Fact]
    public void A_removal_that_arrives_before_its_addition_stays_effective()
    {
        var addition = Dotted<OrSet<string>>.Bottom.Content.Add(new(A, 7), "x");
        var removal = addition.Content.Remove(new(B, 3), "x");
        var state = Dotted<OrSet<string>>.Bottom.Merge(removal).Merge(addition);
        Assert.True(state.Content.IsEmpty);
    }

    [Fact]
    public void A_delta_with_its_senders_whole_context_would_remove_what_was_not_sent()
    {
        var first = Dotted<OrSet<string>>.Bottom.Content.Add(new(B, 1), "of B");
        var senderRemoved = first.Merge(first.Content.Remove(new(A, 1), "of B"));
        var delta = senderRemoved.Content.Add(new(A, 2), "x");
        var receiver = Dotted<OrSet<string>>.Bottom.Content.Add(new(B, 2), "new").Merge(first);

        Assert.Equal(["new", "of B", "x"], receiver.Merge(delta).Content);
        Assert.Equal(["new", "x"], receiver.Merge(senderRemoved.Merge(delta)).Content);
    }

    [Fact]
    public void Removing_a_key_keeps_what_is_written_below_it_concurrently()
    {
        var cart = Dotted<OrMap<string, OrSet<string>>>.Bottom;
        cart = cart.Merge(cart.Content.Update("k", set => set.Add(new(A, 1), "seen")));
        var removal = cart.Content.Remove(new(A, 2), "k");
        var update = cart.Content.Update("k", set => set.Add(new(B, 1), "concurrent"));
        Assert.Equal(["concurrent"], cart.Merge(update).Merge(removal).Content["k"]);
    }

    [Fact]
    public void Annas_pair_of_vector_clock_and_value_is_not_associative_and_siblings_are()
    {
        // Figure 2 of the paper as it is written: greater clock wins, incomparable ones merge both parts.
        static (VectorClock, GrowSet<string>) Merge(
            (VectorClock Clock, GrowSet<string> Value) l, (VectorClock Clock, GrowSet<string> Value) r) =>
            l.Clock == r.Clock || l.Clock.Covers(r.Clock) ? l
            : r.Clock.Covers(l.Clock) ? r
            : (l.Clock.Merge(r.Clock), l.Value.Merge(r.Value));
        var p = (VectorClock.Of(A, 1), GrowSet<string>.Of("x"));
        var q = (VectorClock.Of(B, 1), GrowSet<string>.Of("y"));
        var r = (VectorClock.Of(A, 2), GrowSet<string>.Of("z"));
        Assert.NotEqual(Merge(Merge(p, q), r), Merge(p, Merge(q, r)));

        var x = Dotted<Siblings<GrowSet<string>>>.Bottom.Content.Write(new(A, 1), GrowSet<string>.Of("x"));
        var y = Dotted<Siblings<GrowSet<string>>>.Bottom.Content.Write(new(B, 1), GrowSet<string>.Of("y"));
        var z = x.Content.Write(new(A, 2), GrowSet<string>.Of("z"));
        Assert.Equal(["y", "z"], x.Merge(y).Merge(z).Content.Value);
        Assert.Equal(["y", "z"], x.Merge(y.Merge(z)).Content.Value);
    }

    [Fact]
    public void Concurrent_writes_of_a_multi_value_register_are_all_kept_until_one_sees_them()
    {
        var left = Dotted<MvRegister<string>>.Bottom.Content.Write(new(A, 1), "left");
        var right = Dotted<MvRegister<string>>.Bottom.Content.Write(new(B, 1), "right");
        var both = left.Merge(right);
        Assert.Equal(["left", "right"], both.Content.Values);
        Assert.Equal(["one"], both.Merge(both.Content.Write(new(A, 2), "one")).Content.Values);
    }

    [Fact]
    public void A_later_write_wins_though_its_machine_has_a_clock_that_is_behind()
    {
        var (ahead, behind) = (new VirtualTime(), new VirtualTime());
        ahead.Advance(TimeSpan.FromSeconds(10));
        var (first, second) = (new HybridClock(ahead, A), new HybridClock(behind, B));
        var before = LwwRegister<string>.Of(first.Next(), "before");
        var unseen = LwwRegister<string>.Of(second.Next(), "unseen");
        Assert.Equal("before", before.Merge(unseen).Value);

        Assert.True(second.TrySee(before.Stamp));
        Assert.Equal("after", before.Merge(LwwRegister<string>.Of(second.Next(), "after")).Value);
    }

    [Fact]
    public void A_stamp_far_ahead_moves_no_clock_until_its_time_has_come()
    {
        var (wrong, time) = (new VirtualTime(), new VirtualTime());
        wrong.Advance(TimeSpan.FromHours(1));
        var clock = new HybridClock(time, A);
        var stamp = new HybridClock(wrong, B).Next();
        Assert.False(clock.TrySee(stamp));
        Assert.True(clock.Next().CompareTo(stamp) < 0);

        time.Advance(TimeSpan.FromMinutes(55));
        Assert.True(clock.TrySee(stamp));
        Assert.True(clock.Next().CompareTo(stamp) > 0);
    }

    [Fact]
    public void A_source_that_is_in_use_twice_is_found_out_by_the_merge()
    {
        var stamp = new HybridClock(new VirtualTime(), A).Next();
        Assert.Throws<GeoSerializationException>(() => LwwRegister<int>.Of(stamp, 1).Merge(LwwRegister<int>.Of(stamp, 2)));
        var dot = new Dot(A, 1);
        var empty = Dotted<MvRegister<int>>.Bottom.Content;
        Assert.Throws<GeoSerializationException>(() => empty.Write(dot, 1).Merge(empty.Write(dot, 2)));
    }

    [Fact]
    public void A_deletion_begins_a_generation_that_older_copies_do_not_bring_back()
    {
        var clock = new HybridClock(new VirtualTime(), A);
        var old = Generation<PnCounter>.Bottom.Update(PnCounter.Bottom.Add(A, 5));
        var deleted = old.Merge(old.Delete(clock.Next()));
        Assert.Equal(0, deleted.Merge(old).Value.Value);
        Assert.Equal(2, deleted.Merge(deleted.Update(PnCounter.Bottom.Add(A, 2))).Merge(old).Value.Value);
        Assert.Throws<ArgumentException>(() => deleted.Delete(deleted.Since));
    }

    [Fact]
    public void A_counter_beyond_64_bits_is_the_nearest_number_there_is()
    {
        var sum = PnCounter.Bottom.Add(A, long.MaxValue).Merge(PnCounter.Bottom.Add(B, long.MaxValue));
        Assert.Equal(long.MaxValue, sum.Value);
        Assert.Throws<OverflowException>(() => sum.Add(A, 1));
    }

    [Fact]
    public void Rights_are_taken_where_they_are_and_moved_by_transfers()
    {
        var stock = EscrowCounter.Bottom.Add(A, 10);
        Assert.Equal(EscrowOutcome.NotHere, stock.TryTake(B, 3, out var delta));
        Assert.Equal(EscrowCounter.Bottom, delta);
        Assert.Equal(EscrowOutcome.NoneKnown, stock.TryTake(B, 11, out _));

        stock = stock.Merge(stock.Give(A, B, 4));
        Assert.Equal(EscrowOutcome.Taken, stock.TryTake(B, 3, out delta));
        stock = stock.Merge(delta);
        Assert.Equal((6, 1, 7), (stock.Rights(A), stock.Rights(B), stock.Value));
        Assert.Throws<ArgumentOutOfRangeException>(() => stock.Give(A, B, 7));
    }

    [Fact]
    public void Rights_of_a_stopped_replica_stay_frozen_until_it_is_retired()
    {
        var stock = EscrowCounter.Bottom.Add(A, 10);
        Assert.Equal(EscrowOutcome.NotHere, stock.TryTake(B, 1, out _));

        // Who lives and has none of these is B alone: what is left is A's.
        Assert.Equal([new(A, 10)], stock.RightsLeft);
        stock = stock.Merge(stock.Retire(A, B));
        Assert.Equal((0, 10), (stock.Rights(A), stock.Rights(B)));
        Assert.Equal([new(B, 10)], stock.RightsLeft);
        Assert.Equal(EscrowOutcome.Taken, stock.TryTake(B, 10, out var delta));
        Assert.Empty(stock.Merge(delta).RightsLeft);
    }

    [Fact]
    public void An_escrow_counter_never_falls_below_zero_whatever_order_rows_arrive_in()
    {
        for (var seed = 1; seed <= 200; seed++)
        {
            var random = new Random(seed);
            var replicas = new EscrowCounter[3];
            Array.Fill(replicas, EscrowCounter.Bottom.Add(A, 20));
            var (taken, all) = (0L, replicas[0]);
            for (var step = 0; step < 60; step++)
            {
                var i = random.Next(3);
                var self = new ReplicaId((ulong)i + 1);
                var delta = EscrowCounter.Bottom;
                var amount = random.Next(1, 5);
                switch (random.Next(4))
                {
                    case 0:
                        delta = replicas[i].Give(self, new((ulong)random.Next(1, 4)), random.NextInt64(replicas[i].Rights(self) + 1));
                        break;
                    case 1:
                        delta = replicas[random.Next(3)];
                        break;
                    default:
                        taken += replicas[i].TryTake(self, amount, out delta) == EscrowOutcome.Taken ? amount : 0;
                        break;
                }

                replicas[i] = replicas[i].Merge(delta);
                all = all.Merge(delta);
                Assert.All(Enumerable.Range(1, 3), n => Assert.True(all.Rights(new((ulong)n)) >= 0));
                Assert.Equal(20 - taken, all.Value);
            }

            Assert.True(taken > 0);
        }
    }

    [Fact]
    public void A_lattice_of_a_dotted_map_compiles_for_dotted_values_only()
    {
        static bool Is(Type type, Type generic) => type.IsGenericType && type.GetGenericTypeDefinition() == generic;
        var constraint = typeof(OrMap<,>).GetGenericArguments()[1].GetGenericParameterConstraints();
        Assert.Contains(constraint, c => Is(c, typeof(IDotted<>)));
        Assert.DoesNotContain(typeof(PnCounter).GetInterfaces(), i => Is(i, typeof(IDotted<>)));
        var first = typeof(LexPair<,>).GetGenericArguments()[0].GetGenericParameterConstraints();
        Assert.Contains(first, c => Is(c, typeof(ITotalLattice<>)));
        Assert.DoesNotContain(typeof(VectorClock).GetInterfaces(), i => Is(i, typeof(ITotalLattice<>)));
    }
}
