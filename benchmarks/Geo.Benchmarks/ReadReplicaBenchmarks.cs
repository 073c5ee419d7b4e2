using BenchmarkDotNet.Attributes;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Benchmarks;

/// <summary>A read on a read replica beside a local call of an ordinary grain, on the embedded host: the goal is 1.5 times.</summary>
[InProcess]
[MemoryDiagnoser]
public class ReadReplicaBenchmarks
{
    private const int Batch = 1_000;

    private IHost _eu = null!;
    private IHost _us = null!;
    private ICount _ordinary = null!;
    private ICount _copied = null!;

    [GlobalSetup]
    public void SetUp() => SetUpAsync().GetAwaiter().GetResult();

    [GlobalCleanup]
    public void CleanUp()
    {
        foreach (var host in new[] { _us, _eu })
        {
            host.StopAsync().GetAwaiter().GetResult();
            host.Dispose();
        }
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Batch)]
    public void LocalCall() => CallAsync(_ordinary).GetAwaiter().GetResult();

    [Benchmark(OperationsPerInvoke = Batch)]
    public void ReadOnReplica() => CallAsync(_copied).GetAwaiter().GetResult();

    private async Task SetUpAsync()
    {
        _eu = await StartAsync("eu", "us", null);
        _us = await StartAsync("us", "eu", _eu.Services.GetRequiredService<IGeoSilo>().ListeningOn!.ToString());
        while (!_us.Services.GetRequiredService<IGeoSilo>().IsLinkedTo(new ClusterId("eu")))
        {
            await Task.Delay(20);
        }

        await Grain<Copied>(_eu).Count();
        (_ordinary, _copied) = (Grain<Ordinary>(_us), Grain<Copied>(_us));
        while (await _copied.Cluster() != "us")
        {
            await Task.Delay(20);
        }
    }

    private static async Task CallAsync(ICount grain)
    {
        for (var i = 0; i < Batch; i++)
        {
            await grain.Count();
        }
    }

    private static ICount Grain<TGrain>(IHost host) =>
        host.Services.GetRequiredService<IGrainFactory>().GetGrain<ICount>("1", typeof(TGrain).FullName);

    private static async Task<IHost> StartAsync(string name, string other, string? address)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.UseGeoEmbedded(geo => geo
            .Configure(silo =>
            {
                (silo.ClusterId, silo.ListenOn) = (name, "127.0.0.1:0");
                silo.Clusters[other] = address is null ? [] : [address];
            })
            .AddGrain<Ordinary>()
            .AddGrain<Copied>());
        var host = builder.Build();
        await host.StartAsync();
        return host;
    }

    public interface ICount : IGrainWithStringKey
    {
        [ReadOnly]
        Task<long> Count();

        [ReadOnly]
        Task<string> Cluster();
    }

    public sealed class Ordinary : JournaledGrain<Total>, ICount
    {
        public Task<long> Count() => Task.FromResult(State.Sum);

        public Task<string> Cluster() => Task.FromResult("");
    }

    [GlobalSingleInstance(SingleInstanceMode.Pessimistic), ReadReplica]
    public sealed class Copied : JournaledGrain<Total>, ICount
    {
        public Task<long> Count() => Task.FromResult(State.Sum);

        public async Task<string> Cluster() => (await ReadVersion(total => total.Sum, Consistency.ViewRead.Confirmed)).Cluster.Name;
    }

    public sealed class Total
    {
        public long Sum { get; set; }
    }
}
