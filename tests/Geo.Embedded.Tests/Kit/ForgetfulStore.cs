using Geo.Testing;

namespace Geo.Embedded.Tests;

/// <summary>A store in memory that can be emptied, to weigh what remains.</summary>
internal sealed class ForgetfulStore() : StoreOver(new InMemoryConditionalStore())
{
    private InMemoryConditionalStore? _later;

    protected override IConditionalStore Inner => _later ?? base.Inner;

    public void Forget() => _later = new();
}
