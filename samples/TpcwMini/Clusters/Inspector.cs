using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using TpcwMini.Options;
using TpcwMini.Store;

namespace TpcwMini.Clusters;

/// <summary>
/// A silo in this process that knows no other cluster and has seen nothing of the run: what it reads is what is stored.
/// </summary>
internal sealed class Inspector : IAsyncDisposable
{
    private const string Cluster = "inspector";
    private readonly AccountClient _account;
    private readonly IHost _host;

    private Inspector(AccountClient account, IHost host) => (_account, _host) = (account, host);

    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    public static async Task<Inspector> StartAsync(RunOptions options, string account, CancellationToken cancellationToken)
    {
        var client = await AccountClient.ConnectAsync(Cluster, account, TimeSpan.Zero, cancellationToken);
        var settings = new ClusterSettings
        {
            Cluster = Cluster,
            Others = new Dictionary<string, IReadOnlyList<string>>(),
            Listens = false,
            Variant = options.Variant,
        };
        var inspector = new Inspector(client, SiloHost.Build(settings, client.Store));
        try
        {
            await inspector._host.StartAsync(cancellationToken);
            return inspector;
        }
        catch
        {
            await inspector.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
        await _account.DisposeAsync();
    }
}
