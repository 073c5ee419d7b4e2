namespace Geo.Orleans.Tests.Grains;

/// <summary>A grain with one instance per cluster that remembers every update by its number.</summary>
public interface ILedger : IGrainWithStringKey
{
    /// <summary>Adds a number and waits until that is part of a version.</summary>
    Task Confirm(int number);

    /// <summary>The numbers of the latest version, in their order; there are as many as the version says.</summary>
    Task<int[]> Latest();
}
