namespace Geo.Embedded;

/// <summary>A grain's access to one stored state.</summary>
/// <typeparam name="TState">The state's type.</typeparam>
public interface IStorage<TState> : IStorage
{
    /// <summary>The state in memory; never shared with another activation.</summary>
    TState State { get; set; }
}
