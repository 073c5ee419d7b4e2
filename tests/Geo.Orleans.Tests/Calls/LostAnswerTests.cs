using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Calls;

/// <summary>Calls that may have run: carried ones from "us", which enter "eu" at its first silo, and those of that silo itself.</summary>
public sealed class LostAnswerTests
{
    [Fact]
    public async Task A_call_whose_silo_dies_may_have_run()
    {
        await using var clusters = await StartAsync(silosInEu: 2, losesSilos: true);
        var single = await FindOnSecondSiloAsync<SingleBroken>(clusters);
        var plain = await FindOnSecondSiloAsync<Broken>(clusters);
        var carried = FromUs(clusters, single).Hold();
        var carriedToPlain = FromUs(clusters, plain).Hold();
        var local = single.Hold();
        var localToPlain = plain.Hold();
        await Eventually.Is(4, () => Task.FromResult(AnyBroken.Held.GetValueOrDefault(NameOfSecond(clusters))));

        await clusters.SilosOf("eu")[1].KillAsync();

        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => carried);
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => carriedToPlain);
        var unknown = await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => local);
        Assert.IsType<SiloUnavailableException>(unknown.InnerException);
        await Assert.ThrowsAsync<SiloUnavailableException>(() => localToPlain);
    }

    [Fact]
    public async Task A_call_that_has_no_answer_in_time_may_have_run()
    {
        await using var clusters = await StartAsync();
        var single = clusters.Grains("eu").GetGrain<IBroken>("slow", typeof(SingleBroken).FullName);
        var plain = clusters.Grains("eu").GetGrain<IBroken>("slow", typeof(Broken).FullName);
        await single.Where();

        // Each in its own grain or behind the one before: none has an answer.
        Task[] carried = [FromUs(clusters, single).HoldBriefly(), FromUs(clusters, plain).HoldBriefly()];
        var (local, localToPlain) = (single.HoldBriefly(), plain.HoldBriefly());
        foreach (var call in carried)
        {
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => call);
        }

        var unknown = await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => local);
        Assert.IsType<TimeoutException>(unknown.InnerException);
        await Assert.ThrowsAsync<TimeoutException>(() => localToPlain);
    }

    [Fact]
    public async Task What_the_grain_itself_has_thrown_is_its_answer_though_Orleans_throws_the_same()
    {
        await using var clusters = await StartAsync(silosInEu: 2);
        foreach (var grainClass in new[] { typeof(SingleBroken), typeof(Broken) })
        {
            // On either silo of the two.
            for (var i = 0; i < 8; i++)
            {
                var grain = clusters.Grains("eu").GetGrain<IBroken>($"throws-{i}", grainClass.FullName);
                await grain.Where();
                foreach (var caller in new[] { grain, FromUs(clusters, grain) })
                {
                    await ThrowsOwnAsync<TimeoutException>(caller);
                    await ThrowsOwnAsync<SiloUnavailableException>(caller);
                    await ThrowsOwnAsync<OperationCanceledException>(caller);
                    await Assert.ThrowsAsync<TaskCanceledException>(() => caller.Throw(nameof(TaskCanceledException), later: false));
                }
            }
        }
    }

    private static async Task ThrowsOwnAsync<TException>(IBroken caller)
        where TException : Exception
    {
        var calls = new[] { caller.Throw(typeof(TException).Name, later: false), caller.Throw(typeof(TException).Name, later: true) };
        foreach (var call in calls)
        {
            Assert.Equal("the grain's own", (await Assert.ThrowsAsync<TException>(() => call)).Message);
        }
    }

    private static async Task<GeoTestCluster> StartAsync(int silosInEu = 1, bool losesSilos = false)
    {
        GeoTestCluster? clusters = null;
        clusters = await GeoTestCluster.StartAsync(new()
        {
            SilosIn = new Dictionary<string, int> { ["eu"] = silosInEu },
            LosesSilos = losesSilos,
            Services = services => services.AddSingleton<ICallCarrier>(
                new EnteringCarrier(new("us"), () => clusters!.SilosOf("eu")[0].Services.GetRequiredService<CallReceiver>())),
        });
        return clusters;
    }

    private static async Task<IBroken> FindOnSecondSiloAsync<TGrain>(GeoTestCluster clusters)
    {
        var second = NameOfSecond(clusters);
        for (var i = 0; ; i++)
        {
            var grain = clusters.Grains("eu").GetGrain<IBroken>($"dies-{i}", typeof(TGrain).FullName);
            if (await grain.Where() == second)
            {
                return grain;
            }
        }
    }

    private static string NameOfSecond(GeoTestCluster clusters) =>
        clusters.SilosOf("eu")[1].Services.GetRequiredService<ILocalSiloDetails>().SiloAddress.ToParsableString();

    private static IBroken FromUs(GeoTestCluster clusters, IBroken grain) => clusters.Grains("us")
        .GetGrain(grain.GetGrainId().Type.ToString()!.Contains("single", StringComparison.Ordinal)
            ? grain.GetGrainId()
            : AbroadNames.ToAbroad(new("eu"), grain.GetGrainId()))
        .AsReference<IBroken>();
}
