using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Features.Grains;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Metadata;
using Orleans.Runtime.Hosting;

namespace Geo.Orleans.Tests.Features;

/// <summary>Two clusters with what the tests of Orleans' features need, shared by all of them.</summary>
public sealed class FeatureClusters : IAsyncLifetime
{
    /// <summary>The grain storage over the store that both clusters share.</summary>
    public const string SharedStorage = "shared";

    /// <summary>The grain storage that keeps nothing.</summary>
    public const string VolatileStorage = "volatile";

    /// <summary>A grain storage of the application that is declared as shared.</summary>
    public const string DeclaredStorage = "declared";

    /// <summary>A stream provider of each cluster's own.</summary>
    public const string Streams = "streams";

    /// <summary>A broadcast channel of each cluster's own.</summary>
    public const string Channel = "channel";

    /// <summary>The channels that an ordinary class is subscribed to.</summary>
    public const string Residents = "residents";

    /// <summary>The streams and channels that a single-instance class is subscribed to.</summary>
    public const string Subscribed = "subscribed";

    private readonly OneDatabase _database = new();

    internal GeoTestCluster Clusters { get; private set; } = null!;

    internal IGrainFactory Eu => Clusters.Grains("eu");

    internal IGrainFactory Us => Clusters.Grains("us");

    public async ValueTask InitializeAsync() => Clusters = await GeoTestCluster.StartAsync(new()
    {
        Silo = silo => silo
            .AddMemoryGrainStorageAsDefault().AddMemoryGrainStorage("PubSubStore").AddMemoryStreams(Streams)
            .AddBroadcastChannel(Channel).UseInMemoryReminderService().UseTransactions()
            .AddIncomingGrainCallFilter<SeenCalls>().AddOutgoingGrainCallFilter<SeenCalls>()
            .AddGrainExtension<IPlaque, Plaque>(),
        Services = services => services
            .Configure<ReminderOptions>(options => options.MinimumReminderPeriod = TimeSpan.Zero)
            .AddSingleton<IGrainInterfacePropertiesProvider, VersionByCluster>()
            .AddGrainStorage(DeclaredStorage, (_, _) => _database),
        Geo = geo => geo.AddSharedGrainStorage(SharedStorage).AddVolatileGrainStorage(VolatileStorage)
            .DeclareSharedGrainStorage(DeclaredStorage),
    });

    public ValueTask DisposeAsync() => Clusters.DisposeAsync();

    /// <summary>A grain whose instance is in "eu", as "us" calls it.</summary>
    internal async Task<IRoamer> PlaceInEuAsync(string key)
    {
        Assert.Equal("eu", await Eu.GetGrain<IRoamer>(key).Where());
        return Us.GetGrain<IRoamer>(key);
    }

    /// <summary>Waits until no cluster has an instance of a grain any more, so that the next call decides where it is.</summary>
    internal async Task EndsAsync(IAddressable grain)
    {
        foreach (var cluster in (string[])["eu", "us"])
        {
            var directory = Clusters.SilosOf(cluster)[0].Services.GetRequiredService<GeoSilo>().Directory;
            await Eventually.Is(
                false,
                async () =>
                    await directory.LookupAsync(GrainNames.ToKey(grain.GetGrainId())) is { Kind: Geo.Directory.PlacementKind.Here });
        }
    }
}
