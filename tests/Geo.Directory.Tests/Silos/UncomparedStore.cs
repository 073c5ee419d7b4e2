using Geo.Testing;

namespace Geo.Directory.Tests.Silos;

/// <summary>A store that writes some rows whatever version they have.</summary>
internal sealed class UncomparedStore(IConditionalStore inner, Func<ReadOnlyMemory<byte>, bool> isUncompared) : StoreOver(inner)
{
    public override async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        await Inner.WriteAsync(
            key, value, isUncompared(value) ? (await Inner.ReadAsync(key, cancellationToken)).ETag : expected, cancellationToken);
}
