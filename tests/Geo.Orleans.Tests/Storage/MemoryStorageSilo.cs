using System.Net;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Storage;

namespace Geo.Orleans.Tests.Storage;

/// <summary>A silo, without Geo, with Orleans' grain storage in memory.</summary>
public sealed class MemoryStorageSilo : IAsyncLifetime
{
    private const string Name = "memory";

    private GeoTestSilo _silo = null!;

    /// <summary>
    /// A store that remembers all writes of a case: of its writers, which never pause on one key, one may fall behind the others by any
    /// number, which by default ends as unknown after sixteen.
    /// </summary>
    internal GrainStorageConditionalStore Open() =>
        new(Name, _silo.Services.GetRequiredKeyedService<IGrainStorage>(Name), new GrainStorageStoreOptions { MaxStamps = 200 });

    public async ValueTask InitializeAsync()
    {
        var ports = FreePorts.Take(2);
        _silo = await GeoTestSilo.StartAsync(
            new(ports[0], ports[1], 0), new IPEndPoint(IPAddress.Loopback, ports[0]), "eu", silo => silo.AddMemoryGrainStorage(Name));
    }

    public ValueTask DisposeAsync() => _silo.DisposeAsync();
}
