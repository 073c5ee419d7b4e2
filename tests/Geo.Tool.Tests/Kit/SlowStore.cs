using Geo.Testing;

namespace Geo.Tool.Tests.Kit;

/// <summary>A store whose reads take a time.</summary>
internal sealed class SlowStore(TimeSpan delay) : StoreOver(new InMemoryConditionalStore())
{
    public TimeSpan Delay { get; set; } = delay;

    public override async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        await Task.Delay(Delay, cancellationToken);
        return await base.ReadAsync(key, cancellationToken);
    }
}
