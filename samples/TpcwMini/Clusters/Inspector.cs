using Geo.Processes.Stores;
using TpcwMini.Hosting;
using TpcwMini.Options;

namespace TpcwMini.Clusters;

/// <summary>
/// A silo in this process that knows no other cluster and has seen nothing of the run: what it reads is what is stored.
/// </summary>
internal sealed class Inspector : IAsyncDisposable
{
    private const string Cluster = "inspector";
    private readonly AccountClient _account;
    private readonly SiloHost _silo;

    private Inspector(AccountClient account, SiloHost silo) => (_account, _silo) = (account, silo);

    public IGrainFactory Grains => _silo.Grains;

    public static async Task<Inspector> StartAsync(RunOptions options, string account, CancellationToken cancellationToken)
    {
        var client = await AccountClient.ConnectAsync(Cluster, account, TimeSpan.Zero, Defaults.StoreTimeout, cancellationToken);
        var settings = new ClusterSettings
        {
            Cluster = Cluster,
            Others = new Dictionary<string, IReadOnlyList<string>>(),
            Listens = false,
            Variant = options.Variant,
            Mode = options.Mode,
        };
        try
        {
            return new Inspector(client, await SiloHost.StartAsync(settings, client.Store, cancellationToken));
        }
        catch
        {
            await client.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _silo.DisposeAsync();
        await _account.DisposeAsync();
    }
}
