using System.Net;
using Geo.Orleans.Tests.Features.Grains;
using Geo.Testing.Wan;
using Microsoft.Extensions.Configuration;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Features;

/// <summary>
/// Grain classes with which a silo does not start, because they use what would not follow an instance to another cluster.
/// </summary>
public sealed class StartRefusalTests
{
    [Fact]
    public Task State_in_a_storage_that_is_not_known_to_be_shared() =>
        RefusedAsync(typeof(KeepsLocal), "AddSharedGrainStorage(\"own\")", silo => silo.AddMemoryGrainStorage(KeepsLocal.OwnStorage));

    [Fact]
    public Task State_in_a_storage_of_memory_that_is_declared_as_shared() =>
        RefusedAsync(typeof(KeepsLocal), "memory of this cluster's silos", silo => silo.AddMemoryGrainStorage(KeepsLocal.OwnStorage),
            geo => geo.DeclareSharedGrainStorage(KeepsLocal.OwnStorage));

    [Fact]
    public Task State_of_a_Grain_of_T() =>
        RefusedAsync(typeof(KeepsAsGrainOfT), "state as a Grain<T>", silo => silo.AddMemoryGrainStorage(FeatureClusters.SharedStorage));

    [Fact]
    public Task State_of_a_journal_of_Orleans_own() =>
        RefusedAsync(Concrete.ClassOf(typeof(WithOrleansJournal)), "journal of the log-consistency provider 'journal'", silo => silo
            .AddStateStorageBasedLogConsistencyProvider("journal").AddMemoryGrainStorage(KeepsLocal.OwnStorage));

    [Theory]
    [InlineData(typeof(WithReminder), "implements IRemindable")]
    [InlineData(typeof(WithDurableState), "'counts' as durable state")]
    [InlineData(typeof(WithDurableJob), "implements IDurableJobHandler")]
    [InlineData(typeof(WithStream), "subscribed to streams")]
    [InlineData(typeof(WithStreams), "subscribed to streams")]
    [InlineData(typeof(WithTransaction), "IAccount.Add is a [Transaction]")]
    [InlineData(typeof(WithTransactionalState), "'balance' as transactional state")]
    [InlineData(typeof(WithNoTime), "IHurried.Hurry with the [ResponseTimeout] 00:00:00")]
    [InlineData(typeof(WithDirectory), "names the grain directory 'own'")]
    [InlineData(typeof(WithWorkers), "is a [StatelessWorker]")]
    public Task What_belongs_to_one_cluster(Type grainClass, string naming) => RefusedAsync(Concrete.ClassOf(grainClass), naming);

    [Theory]
    [InlineData("Geo:ListnOn", "127.0.0.1:0", "'ListnOn'")]
    [InlineData("Geo:UnreachableAfter", "soon", "UnreachableAfter")]
    [InlineData("Geo:Rows:Path", "rows.db", "'Geo:Rows' are of no store")]
    [InlineData("Geo:Stores:Default:Path", "states.db", "'Geo:Stores:Default' are of no store")]
    public async Task A_setting_that_is_misspelt_or_cannot_be_read(string key, string value, string naming)
    {
        var ports = FreePorts.Take(2);
        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => GeoTestSilo.StartAsync(
            new(ports[0], ports[1], 0), new IPEndPoint(IPAddress.Loopback, ports[0]), "eu", silo =>
            {
                ((IConfigurationManager)silo.Configuration).AddInMemoryCollection([new("Geo:ClusterId", "eu"), new(key, value)]);
                silo.UseGeo(geo => geo.UseRowStore(_ => new InMemoryConditionalStore()));
            }));

        Assert.Contains("'Geo", error.Message, StringComparison.Ordinal);
        Assert.Contains(naming, error.Message, StringComparison.Ordinal);
    }

    private static async Task RefusedAsync(
        Type grainClass, string naming, Action<ISiloBuilder>? silo = null, Action<GeoSiloBuilder>? geo = null)
    {
        var ports = FreePorts.Take(2);
        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => GeoTestSilo.StartAsync(
            new(ports[0], ports[1], 0), new IPEndPoint(IPAddress.Loopback, ports[0]), "eu", builder =>
            {
                builder.Configure<GrainTypeOptions>(types => types.Classes.Add(grainClass));
                silo?.Invoke(builder);
                builder.UseGeo(own =>
                {
                    own.UseRowStore(_ => new InMemoryConditionalStore()).AddStore(GeoStorage.Default, _ => new InMemoryConditionalStore())
                        .Configure(options => options.ClusterId = "eu");
                    geo?.Invoke(own);
                });
            }));

        Assert.Contains(naming, error.Message, StringComparison.Ordinal);
        Assert.Contains(grainClass.FullName!, error.Message, StringComparison.Ordinal);
    }
}
