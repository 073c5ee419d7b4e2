namespace Geo.Experiments.Lattices;

/// <summary>A structure of values by key, which threads update and read; each thread says its number.</summary>
internal interface IKeyed : IAsyncDisposable
{
    /// <summary>Writes a value, or adds one to a counter.</summary>
    void Update(int thread, int key);

    /// <summary>Reads a value.</summary>
    /// <returns>Something of it, so that reading is not optimised away.</returns>
    long Read(int thread, int key);

    /// <summary>Processor time that other processes have used for it so far.</summary>
    TimeSpan ProcessorTimeElsewhere => TimeSpan.Zero;

    /// <summary>Ends what runs behind the updates, and checks what every reader sees then.</summary>
    /// <param name="updates">How many updates were made.</param>
    /// <param name="keys">How many keys there are.</param>
    /// <returns>What is wrong; null when nothing is.</returns>
    ValueTask<string?> CheckAsync(long updates, int keys);
}
