namespace Geo.Testing.Tests;

/// <summary>Writes whatever version it is asked to replace: a compare-and-swap without the compare.</summary>
internal sealed class CarelessStore(IConditionalStore inner) : StoreOver(inner)
{
    public override async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        await Inner.WriteAsync(key, value, (await Inner.ReadAsync(key, cancellationToken)).ETag, cancellationToken);
}
