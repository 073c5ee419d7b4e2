using Geo.Testing;

namespace Geo.Embedded.Tests;

/// <summary>A store in memory that can be emptied, to weigh what remains.</summary>
internal sealed class ForgetfulStore() : StoreOver(new InMemoryConditionalStore())
{
    public void Forget() => Inner = new InMemoryConditionalStore();
}
