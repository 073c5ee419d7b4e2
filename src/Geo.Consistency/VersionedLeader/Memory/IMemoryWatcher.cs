namespace Geo.Consistency;

/// <summary>The instance that shows and changes what its cluster's memory of a grain holds.</summary>
internal interface IMemoryWatcher
{
    /// <summary>There is more to show, or the memory leads, or does not any more. Called on the instance's scheduler.</summary>
    void MemoryChanged();

    /// <summary>True of the instance itself, and of what stands for it.</summary>
    bool Is(IMemoryWatcher other) => other == this;
}
