namespace Geo.Directory.Tests;

/// <summary>Directories that process versions of the configuration while they run. The world checks that a grain has one owner.</summary>
public sealed class LiveConfigurationTests
{
    private static readonly ClusterId Asia = new("asia"), Eu = new("eu"), Us = new("us");

    private static readonly MultiClusterConfiguration
        Two = new(1, [Eu, Us]),
        Joining = With(2, ClusterStage.Joining),
        Three = With(3, ClusterStage.Member),
        Leaving = With(4, ClusterStage.Leaving),
        TwoAgain = new(5, [Eu, Us]);

    [Fact]
    public void A_cluster_that_joins_finds_what_there_is_and_owns_something_once_it_is_a_member() =>
        World.Run(Begin(Joining), async silos =>
        {
            var (asia, eu) = (silos[0], silos[1]);
            await eu.Lane.RunAsync(() => eu.CallAsync(World.Grain));
            Array.ForEach(silos, s => s.Directory.Process(Joining));
            Assert.Equal(Eu, (await asia.Lane.RunAsync(() => asia.CallAsync(World.Grain))).Cluster);
            var other = new GrainKey("cart", "2");
            Assert.Contains((await asia.Lane.RunAsync(() => asia.CallAsync(other))).Cluster, (ClusterId[])[Eu, Us]);
            Assert.Equal(GsiState.Invalid, asia.Entry(other).State);

            Array.ForEach(silos, s => s.Directory.Process(Three));
            var third = new GrainKey("cart", "3");
            Assert.Equal(Asia, (await asia.Lane.RunAsync(() => asia.CallAsync(third))).Cluster);
            Assert.Equal(Asia, (await eu.Lane.RunAsync(() => eu.CallAsync(third))).Cluster);
        });

    [Fact]
    public void A_round_whose_first_write_is_slow_asks_the_clusters_that_came_meanwhile() => AsiaJoinsDuringASlowWrite();

    [Fact]
    public void Two_clusters_would_own_the_grain_if_it_did_not()
    {
        SwitchedOff.Set([ProtocolRule.AskedWhenStored]);
        try
        {
            Assert.ThrowsAny<Exception>(AsiaJoinsDuringASlowWrite);
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    [Fact]
    public void A_cluster_that_begins_to_leave_during_its_round_owns_nothing_and_is_pointed_at_no_more_when_it_has_gone() =>
        Run(Begin(Three), async (world, silos) =>
        {
            var (asia, eu) = (silos[0], silos[1]);
            foreach (var version in new[] { Joining, Three })
            {
                Array.ForEach(silos, s => s.Directory.Process(version));
            }

            var kept = new GrainKey("cart", "2");
            await asia.Lane.RunAsync(() => asia.CallAsync(kept));
            Assert.Equal(Asia, (await eu.Lane.RunAsync(() => eu.CallAsync(kept))).Cluster);
            var round = asia.Lane.RunAsync(() => asia.CallAsync(World.Grain));
            await Task.Delay(World.OneWay, world.Time);
            asia.Directory.Process(Leaving);
            Assert.Contains((await round).Cluster, (ClusterId[])[Eu, Us]);
            Assert.Equal(GsiState.Invalid, asia.Entry(World.Grain).State);

            // Drained by hand.
            await asia.Lane.RunAsync(() => asia.EndAsync(kept));
            eu.Directory.Process(Leaving);
            silos[2].Directory.Process(Leaving);
            eu.Directory.Process(TwoAgain);
            silos[2].Directory.Process(TwoAgain);
            Assert.Equal(Eu, (await eu.Lane.RunAsync(() => eu.CallAsync(kept))).Cluster);
        });

    /// <summary>The member that is asked to take a grain may find that another one has been faster.</summary>
    [Fact]
    public void A_call_of_a_cluster_that_may_own_nothing_is_answered_while_members_race_for_its_grain() =>
        Run(Begin(Joining), async (world, silos) =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            Array.ForEach(silos, s => s.Directory.Process(Joining));
            foreach (var key in Enumerable.Range(0, 8).Select(i => new GrainKey("cart", $"raced-{i}")))
            {
                var calls = new List<Task<Placement>> { asia.Lane.RunAsync(() => asia.CallAsync(key)) };
                await Task.Delay(World.OneWay * 2, world.Time);
                calls.Add(eu.Lane.RunAsync(() => eu.CallAsync(key)));
                calls.Add(us.Lane.RunAsync(() => us.CallAsync(key)));

                Assert.Single((await Task.WhenAll(calls)).Select(placement => placement.Cluster).Distinct());
            }
        });

    [Fact]
    public void A_call_of_a_cluster_that_may_own_nothing_does_not_wait_long_for_a_reply_that_was_lost()
    {
        var (world, lost) = (Begin(Joining), 0);
        world.Over = messenger => new LostReplies(
            messenger, world.Time,
            payload => GsiMessage.Decode(payload.Span).Kind is GsiMessageKind.Take or GsiMessageKind.TakeOptimistic && lost++ < 2);
        Run(world, async (_, silos) =>
        {
            var asia = silos[0];
            Array.ForEach(silos, s => s.Directory.Process(Joining));

            var took = await world.MeasureAsync(() => asia.Lane.RunAsync(() => asia.CallAsync(World.Grain)));

            Assert.Equal(3, lost);
            Assert.InRange(took, 3 * world.Options.RequestTimeout, 4 * world.Options.RequestTimeout);
        });
    }

    [Fact]
    public void An_earlier_version_changes_nothing_and_one_without_this_cluster_is_refused() =>
        World.Run(Begin(Three), silos =>
        {
            var asia = silos[0].Directory;
            asia.Process(Joining);
            Assert.Equal(Three, asia.Configuration);
            Assert.Throws<GeoConfigurationException>(() => asia.Process(TwoAgain));
            return Task.CompletedTask;
        });

    [Fact]
    public void A_cluster_without_a_configuration_store_owns_nothing_beside_one_that_has_one() => AloneBesideALiveOne();

    [Fact]
    public void It_would_if_what_they_go_by_were_not_compared()
    {
        SwitchedOff.Set([ProtocolRule.StampsAreCompared]);
        try
        {
            Assert.ThrowsAny<Exception>(AloneBesideALiveOne);
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    [Fact]
    public void C8_a_cluster_that_leaves_gives_up_what_it_has_and_its_callers_find_it_elsewhere() =>
        Run(Begin(Three), async (_, silos) =>
        {
            var (asia, eu) = (silos[0], silos[1]);
            Array.ForEach(silos, s => s.Directory.Process(Joining));
            Array.ForEach(silos, s => s.Directory.Process(Three));
            var other = new GrainKey("cart", "2");
            await asia.Lane.RunAsync(() => asia.CallAsync(World.Grain));
            await asia.Lane.RunAsync(() => asia.CallAsync(other));
            Array.ForEach(silos, s => s.Directory.Process(Leaving));

            Assert.Equal(new(2), await asia.Lane.RunAsync(() => asia.Directory.DrainAsync(CancellationToken.None)));
            Assert.Equal(new(0), await asia.Lane.RunAsync(() => asia.Directory.DrainAsync(CancellationToken.None)));
            Assert.Empty(asia.Instances);
            var taker = (await asia.Lane.RunAsync(() => asia.CallAsync(World.Grain))).Cluster;
            Assert.Contains(taker, (ClusterId[])[Eu, Us]);
            Assert.Equal(taker, (await eu.Lane.RunAsync(() => eu.CallAsync(World.Grain))).Cluster);
        });

    [Fact]
    public void C8_a_member_takes_an_optimistic_grain_for_a_cluster_that_leaves_while_another_one_is_silent() =>
        Run(Begin(Three), async (world, silos) =>
        {
            var (asia, eu) = (silos[0], silos[1]);
            foreach (var version in new[] { Joining, Three, Leaving })
            {
                Array.ForEach(silos, s => s.Directory.Process(version));
            }

            foreach (var other in new[] { Asia, Eu })
            {
                world.Network.Cut(Us, other);
                world.Network.Cut(other, Us);
            }

            await Assert.ThrowsAsync<GeoUnavailableException>(
                () => asia.Lane.RunAsync(() => asia.CallAsync(new("cart", "2"), SingleInstanceMode.Pessimistic)));
            Assert.Equal(Eu, (await asia.Lane.RunAsync(() => asia.CallAsync(World.Grain))).Cluster);
            Assert.Equal(GsiState.Doubtful, eu.Entry(World.Grain).State);
        });

    /// <summary>
    /// A member that remembers the grain where it is no more asks anew, for the cluster that leaves has just found it nowhere.
    /// </summary>
    [Fact]
    public void C8_a_member_takes_a_grain_that_it_still_remembers_in_the_cluster_that_leaves() =>
        Run(Begin(Three), async (world, silos) =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            await LoseOneOfAsiaAsync(world, silos);
            world.Network.Options.NoticeLoss = 1;
            await DrainAsync(asia);
            Assert.Equal(Asia, (await eu.Directory.LookupAsync(World.Grain))?.Cluster);
            Assert.Equal(Asia, (await us.Directory.LookupAsync(World.Grain))?.Cluster);

            var taker = (await asia.Lane.RunAsync(() => asia.CallAsync(World.Grain))).Cluster;
            Assert.Contains(taker, (ClusterId[])[Eu, Us]);
        });

    /// <summary>The member that is asked to take it finds it there and does not take it, however often it is asked.</summary>
    [Fact]
    public void A_cluster_that_leaves_reaches_an_instance_in_doubt_elsewhere()
    {
        var world = new World(1, "asia", "eu", "us", "zoo");
        World.Run(world, async silos =>
        {
            var (asia, eu, zoo) = (silos[0], silos[1], silos[3]);
            var leaving = new MultiClusterConfiguration(
                new ConfigurationStamp(2, 0),
                world.Clusters.ToDictionary(c => c, c => c == Asia ? ClusterStage.Leaving : ClusterStage.Member));
            world.Network.Isolate(zoo.Cluster);
            Array.ForEach(silos, s => s.Directory.Process(leaving));
            foreach (var key in Enumerable.Range(0, 4).Select(i => new GrainKey("cart", $"doubted-{i}")))
            {
                Assert.Equal(Eu, (await eu.Lane.RunAsync(() => eu.CallAsync(key))).Cluster);
                Assert.Equal(GsiState.Doubtful, eu.Entry(key).State);
                Assert.Equal(Eu, (await asia.Lane.RunAsync(() => asia.CallAsync(key))).Cluster);
            }
        });
    }

    [Fact]
    public void The_others_are_told_when_a_drain_removes_the_row_of_a_silo_that_is_gone() =>
        Run(Begin(Three), async (world, silos) =>
        {
            await LoseOneOfAsiaAsync(world, silos);
            await DrainAsync(silos[0]);
            await world.PassAsync(World.OneWay);
            Assert.Null(await silos[1].Directory.LookupAsync(World.Grain));
            Assert.Null(await silos[2].Directory.LookupAsync(World.Grain));
        });

    [Fact]
    public void A_silo_that_hears_of_a_later_version_is_told() => World.Run(Begin(Live(Joining, 1)), async silos =>
    {
        var (asia, eu) = (silos[0], silos[1]);
        var behind = 0;
        eu.Directory.Behind += () => behind++;
        Array.ForEach(silos, s => s.Directory.Process(Live(Joining, 1)));
        asia.Directory.Process(Live(Three, 2));
        await Assert.ThrowsAsync<GeoUnavailableException>(() => asia.Lane.RunAsync(() => asia.CallAsync(World.Grain)));
        Assert.True(behind > 0);
    });

    // A silo of asia had the grain, and all others remember it there; then it is gone, and asia leaves.
    private static async Task LoseOneOfAsiaAsync(World world, Silo[] silos)
    {
        Array.ForEach(silos, s => s.Directory.Process(Joining));
        Array.ForEach(silos, s => s.Directory.Process(Three));
        world.Configurations[Asia] = Three;
        var second = world.AddSilo(Asia, "asia/2");
        await World.StartAsync(second);
        await second.Lane.RunAsync(() => second.CallAsync(World.Grain));
        foreach (var other in silos[1..])
        {
            Assert.Equal(Asia, (await other.Lane.RunAsync(() => other.CallAsync(World.Grain))).Cluster);
        }

        world.Crash(second);
        Array.ForEach(silos, s => s.Directory.Process(Leaving));
    }

    private static Task<DrainPass> DrainAsync(Silo silo) => silo.Lane.RunAsync(() => silo.Directory.DrainAsync(CancellationToken.None));

    private static MultiClusterConfiguration Live(MultiClusterConfiguration of, long digest) => new(
        new ConfigurationStamp(of.Version, digest, digest - 1),
        of.Clusters.ToDictionary(c => c, c => of.MayOwn(c) ? ClusterStage.Member : ClusterStage.Joining));

    // us goes by its settings, and nobody by what it says.
    private static void AloneBesideALiveOne()
    {
        var world = Begin(Live(Joining, 1));
        world.Configurations[Eu] = Live(Joining, 1);
        World.Run(world, async silos =>
        {
            var us = silos[2];
            await Assert.ThrowsAsync<GeoUnavailableException>(() => us.Lane.RunAsync(() => us.CallAsync(World.Grain)));
            Assert.Equal(GsiState.Invalid, us.Entry(World.Grain).State);
        });
    }

    private static void Run(World world, Func<World, Silo[], Task> test) => World.Run(world, silos => test(world, silos));

    // When eu's write lands, asia has become a member and, with eu's leave, the owner.
    private static void AsiaJoinsDuringASlowWrite()
    {
        var world = Begin(Joining);
        World.Run(world, async silos =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            var gate = new TaskCompletionSource();
            eu.Rows.Gate = gate.Task;
            var late = eu.Lane.RunAsync(() => eu.CallAsync(World.Grain));
            await Task.Delay(World.OneWay, world.Time);
            eu.Rows.Gate = Task.CompletedTask;
            foreach (var version in new[] { Joining, Three })
            {
                Array.ForEach(silos, s => s.Directory.Process(version));
            }

            Assert.Equal(Asia, (await asia.Lane.RunAsync(() => asia.CallAsync(World.Grain))).Cluster);
            gate.SetResult();
            Assert.Equal(Asia, (await late).Cluster);
            Assert.Equal(GsiState.Invalid, us.Entry(World.Grain).State);
        });
    }

    private static World Begin(MultiClusterConfiguration asia)
    {
        var world = new World(1, "asia", "eu", "us");
        (world.Configurations[Asia], world.Configurations[Eu], world.Configurations[Us]) = (asia, Two, Two);
        return world;
    }

    private static MultiClusterConfiguration With(long version, ClusterStage asia) => new(
        new ConfigurationStamp(version, 0),
        new Dictionary<ClusterId, ClusterStage> { [Asia] = asia, [Eu] = ClusterStage.Member, [Us] = ClusterStage.Member });
}
