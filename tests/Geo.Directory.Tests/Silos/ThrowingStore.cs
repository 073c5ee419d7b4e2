using Geo.Testing;

namespace Geo.Directory.Tests.Silos;

/// <summary>A store that throws what no store should.</summary>
internal sealed class ThrowingStore(IConditionalStore inner) : StoreOver(inner)
{
    public bool Throws { get; set; }

    protected override IConditionalStore Inner => Throws ? throw new InvalidOperationException("The store is broken.") : base.Inner;
}
