using System.Reflection;
using Orleans.Concurrency;

namespace Geo.Orleans;

/// <summary>Finds the journaled grains whose read-only methods are let in while other calls wait for the journal.</summary>
internal static class JournalReaders
{
    /// <summary>The property of their grain types; absent on all others.</summary>
    public const string Property = "geo.journal-readers";

    /// <summary>
    /// Marks the type, if its class is journaled, has read-only methods and is not reentrant. A class that decides itself what interleaves
    /// goes on to do so.
    /// </summary>
    public static void Populate(Type grainClass, Dictionary<string, string> properties)
    {
        if (ReaderSeam.Reachable is not null && ActivationSeam.Reachable is not null
            && !grainClass.IsDefined(typeof(ReentrantAttribute), inherit: true)
            && !grainClass.IsDefined(typeof(MayInterleaveAttribute), inherit: true)
            && grainClass.GetInterfaces().Any(HasReaders))
        {
            properties[Property] = "true";
        }
    }

    private static bool HasReaders(Type type) =>
        typeof(IAddressable).IsAssignableFrom(type) && type.GetMethods().Any(m => m.IsDefined(typeof(ReadOnlyAttribute)));
}
