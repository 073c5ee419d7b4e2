using Geo.Testing;
using Geo.Testing.Storage;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests.Silos;

/// <summary>
/// Silos of one cluster that know different clusters never serve at one time: when a cluster was added by a rolling restart, one let a
/// newcomer's round pass whom the round of the other never asked, and a grain had two owners.
/// </summary>
public sealed class ClusterListTests
{
    private static readonly TimeSpan Lease = TimeSpan.FromSeconds(6);

    private static readonly string[] Two = ["eu", "us"];
    private static readonly string[] Three = ["asia", "us", "eu"];

    private readonly SimulationScheduler _scheduler = new();
    private readonly InMemoryConditionalStore _rows = new();
    private readonly Membership _members = new();

    private VirtualTime Time => _scheduler.Time;

    [Fact]
    public void A_silo_with_another_list_of_clusters_does_not_start_while_one_with_the_old_holds_a_lease() => _scheduler.Run(async () =>
    {
        await using var old = await StartAsync("eu/1", Two);
        await using var same = await StartAsync("eu/2", ["us", "eu"]);

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => StartAsync("eu/3", Three));

        Assert.Contains(
            "Silo 'eu/3' has the clusters asia,eu,us in its settings, and silo 'eu/1'", refused.Message, StringComparison.Ordinal);
        Assert.Contains("has eu,us.", refused.Message, StringComparison.Ordinal);
        Assert.Contains("stop all of them", refused.Message, StringComparison.Ordinal);
        Assert.Equal(2, await _rows.ListAsync(LeaseRow.Prefix, Stop).CountAsync(Stop));
    });

    [Fact]
    public void When_all_silos_with_the_old_list_have_left_one_with_the_new_list_starts_at_once() => _scheduler.Run(async () =>
    {
        await using (var old = await StartAsync("eu/1", Two))
        {
            await old.LeaveAsync(Stop);
            _members.States.Remove("eu/1");
        }

        var before = Time.Elapsed;
        await using var one = await StartAsync("eu/2", Three);

        Assert.Equal(before, Time.Elapsed);
        await Assert.ThrowsAsync<GeoConfigurationException>(() => StartAsync("eu/3", Two));
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_silo_with_the_old_list_that_crashed_is_fenced_off_first(bool membershipKnows) => _scheduler.Run(async () =>
    {
        var old = await StartAsync("eu/1", Two);
        await old.DisposeAsync();
        if (membershipKnows)
        {
            _members.States["eu/1"] = SiloState.Dead;
        }
        else
        {
            _members.States.Remove("eu/1");
        }

        await using var one = await StartAsync("eu/2", Three);

        var row = LeaseRow.Of(await _rows.ReadAsync(LeaseRow.KeyOf("eu/1"), Stop), unreadable: new LeaseRow());
        Assert.True(row?.IsFenced);
        Assert.InRange(Time.Elapsed, Lease, Lease * 2.3);
    });

    /// <summary>
    /// Of a cluster that crashed as a whole nobody says so, and one that is paused, or has lost the store for a moment, must not end for
    /// the sake of another list: so its lease alone says nothing.
    /// </summary>
    [Fact]
    public void One_with_the_old_list_that_crashed_and_passes_for_living_keeps_others_out_until_it_is_called_dead() =>
        _scheduler.Run(async () =>
        {
            var old = await StartAsync("eu/1", Two);
            await old.DisposeAsync();
            await Task.Delay(10 * Lease, Time);

            var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => StartAsync("eu/2", Three));

            Assert.Contains(
                "If 'eu/1' has crashed this one may start once the membership has called that one dead and 13.2 s more", refused.Message,
                StringComparison.Ordinal);
            Assert.Contains("start one with the present list, and stop it in order", refused.Message, StringComparison.Ordinal);

            // As the message says: one with the present list notices, and stops.
            var present = await StartAsync("eu/3", Two);
            _members.States["eu/1"] = SiloState.Dead;
            await present.LeaveAsync(Stop);
            await present.DisposeAsync();
            _members.States["eu/3"] = SiloState.Dead;
            var before = Time.Elapsed;
            await using var one = await StartAsync("eu/2", Three);

            Assert.InRange(Time.Elapsed - before, TimeSpan.Zero, Lease * 2.2);
            Assert.True(one.Guard.MayServe);
        });

    [Fact]
    public void Whether_one_with_the_old_list_has_ended_may_be_unknown_and_is_no_other_list() => _scheduler.Run(async () =>
    {
        var old = await StartAsync("eu/1", Two);
        await old.DisposeAsync();
        _members.States["eu/1"] = SiloState.Dead;
        var rows = new TroubledStore(_rows) { HasLost = key => key == LeaseRow.KeyOf("eu/1") };

        await Assert.ThrowsAsync<GeoUnavailableException>(() => StartAsync("eu/2", Three, rows));
    });

    [Fact]
    public void Whether_the_fence_of_one_with_the_old_list_stands_may_be_unknown_and_is_no_other_list() => _scheduler.Run(async () =>
    {
        var old = await StartAsync("eu/1", Two);
        await old.DisposeAsync();
        _members.States["eu/1"] = SiloState.Dead;
        var rows = new TroubledStore(_rows) { LosesWrites = key => key == LeaseRow.KeyOf("eu/1") };

        await Assert.ThrowsAsync<GeoUnavailableException>(() => StartAsync("eu/2", Three, rows));
    });

    /// <summary>Of a cluster that crashed as a whole nobody declares the silos dead before one serves again.</summary>
    [Fact]
    public void One_with_the_old_list_that_leaves_while_it_is_waited_for_keeps_nobody_out() => _scheduler.Run(async () =>
    {
        await using var old = await StartAsync("eu/1", Two);
        _members.States.Remove("eu/1");

        var starting = StartAsync("eu/2", Three);
        await Task.Delay(Lease / 2, Time);
        await old.LeaveAsync(Stop);
        await using var one = await starting;

        Assert.True(one.Guard.MayServe);
    });

    [Fact]
    public void A_silo_unknown_to_the_membership_that_renews_its_lease_keeps_others_with_another_list_out() => _scheduler.Run(async () =>
    {
        await using var old = await StartAsync("eu/1", Two);
        _members.States.Remove("eu/1");

        await Assert.ThrowsAsync<GeoConfigurationException>(() => StartAsync("eu/2", Three));

        Assert.True(old.Guard.MayServe);
    });

    [Fact]
    public void Of_two_that_start_at_one_time_with_different_lists_never_do_both() => _scheduler.Run(async () =>
    {
        for (var delay = 0; delay < 40; delay++)
        {
            var rows = new InMemoryConditionalStore();
            var slow = new LatencyConditionalStore(
                rows, LatencyDistribution.Uniform(TimeSpan.Zero, TimeSpan.FromMilliseconds(20), new Random(delay)), Time);
            var one = TryStartAsync(slow, "eu/1", Two);
            await Task.Delay(TimeSpan.FromMilliseconds(delay), Time);
            var other = TryStartAsync(slow, "eu/2", Three);

            var started = new[] { await one, await other };
            Assert.False(started.All(silo => silo is not null), $"both started, {delay} ms apart");
            foreach (var silo in started.OfType<ClusterSilo>())
            {
                await silo.DisposeAsync();
            }
        }
    });

    private static CancellationToken Stop => CancellationToken.None;

    private async Task<ClusterSilo?> TryStartAsync(IConditionalStore rows, string node, string[] clusters)
    {
        try
        {
            return await StartAsync(node, clusters, rows);
        }
        catch (GeoConfigurationException)
        {
            return null;
        }
    }

    private async Task<ClusterSilo> StartAsync(string node, string[] clusters, IConditionalStore? rows = null)
    {
        _members.States[node] = SiloState.Living;
        var silo = new ClusterSilo(
            new ClusterSiloOptions { Clusters = clusters, LeaseDuration = Lease }, rows ?? _rows, new Seen(node, _members),
            new NoSiblings(),
            new NoInstances(), Time, NullLogger.Instance);
        try
        {
            await silo.StartAsync(Stop);
            return silo;
        }
        catch
        {
            _members.States.Remove(node);
            await silo.DisposeAsync();
            throw;
        }
    }

    private sealed class Membership
    {
        public Dictionary<string, SiloState> States { get; } = [];
    }

    private sealed class Seen(string local, Membership membership) : ISiloMembership
    {
        public string Local => local;

        public SiloMembers Members => new(membership.States.Select(state => new SiloMember(state.Key, state.Value)));
    }

    private sealed class NoSiblings : ISiblings
    {
        public ValueTask<ClusterReply> AskAsync(
            string node, string service, ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default) =>
            new(ClusterReply.Refused("nobody is asked here"));

        public void Tell(string node, string service, ReadOnlyMemory<byte> payload) => throw new NotSupportedException();

        public IDisposable Handle(string service, SiblingHandler handler) => new CancellationTokenSource();
    }

    private sealed class NoInstances : IInstanceTable
    {
        public bool Has(GrainKey key) => false;

        public Task DeactivateAsync(GrainKey key, string reason) => throw new NotSupportedException();
    }
}
