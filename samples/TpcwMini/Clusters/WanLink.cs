namespace TpcwMini.Clusters;

internal sealed class WanLink : IAsyncDisposable
{
    public string Address { get; private init; } = "";

    public static Task<WanLink> OpenAsync(string target, double rttMs, CancellationToken cancellationToken) => Task.FromResult(new WanLink { Address = target });

    public ValueTask DisposeAsync() => default;
}
