namespace Geo.Embedded.Tests;

public interface IPatient : IGrainWithStringKey
{
    Task<string> Where();

    [ResponseTimeout("365.00:00:00")]
    Task<string> WhereAtLeisure();
}

[GlobalSingleInstance]
public sealed class PatientGrain : Grain, IPatient
{
    public Task<string> Where() => Task.FromResult(RuntimeIdentity.Split('/')[0]);

    public Task<string> WhereAtLeisure() => Where();
}

/// <summary>The longest time-outs that can be set are good for calls to other clusters, too.</summary>
public sealed class LongestTimesTests
{
    [Fact]
    public async Task Calls_with_the_longest_time_outs_reach_other_clusters_and_come_from_clients()
    {
        await using var clusters = await TwoClusters.StartAsync(
            geo => geo.AddGrain<PatientGrain>().Configure(o => o.RequestTimeout = TimeSpan.FromDays(1)));
        await using var client = await clusters.Eu.ConnectClientAsync(o => o.RequestTimeout = TimeSpan.FromDays(1));
        Assert.Equal("us", await clusters.Us.Grains.GetGrain<IPatient>("a").Where());

        Assert.Equal("us", await clusters.Eu.Grains.GetGrain<IPatient>("a").Where());
        Assert.Equal("us", await clusters.Eu.Grains.GetGrain<IPatient>("a").WhereAtLeisure());
        Assert.Equal("us", await client.GetGrain<IPatient>("a").Where());
        Assert.Equal("us", await client.GetGrain<IPatient>("a").WhereAtLeisure());
    }
}
