using Geo.Testing;

namespace Geo.Directory.Tests.Silos;

/// <summary>A store of which some operations never end, as of a client whose connection fell silent.</summary>
internal sealed class StuckStore(IConditionalStore inner) : StoreOver(inner)
{
    public bool IsStuck { get; set; }

    public override async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        await NeverAsync();
        return await base.ReadAsync(key, cancellationToken);
    }

    public override async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        await NeverAsync();
        return await base.WriteAsync(key, value, expected, cancellationToken);
    }

    public override async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        await NeverAsync();
        return await base.DeleteAsync(key, expected, cancellationToken);
    }

    private Task NeverAsync() => IsStuck ? new TaskCompletionSource().Task : Task.CompletedTask;
}
