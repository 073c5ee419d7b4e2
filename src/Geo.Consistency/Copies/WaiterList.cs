namespace Geo.Consistency;

/// <summary>Those who wait, in the order they came; any can be taken out at once. Not thread-safe.</summary>
internal struct WaiterList
{
    internal ViewWaiter? First { readonly get; private set; }

    internal ViewWaiter? Last { readonly get; private set; }

    internal int Count { readonly get; private set; }

    internal void Add(ViewWaiter waiter)
    {
        waiter.Before = Last;
        if (Last is { } last)
        {
            last.After = waiter;
        }
        else
        {
            First = waiter;
        }

        (Last, waiter.IsListed) = (waiter, true);
        Count++;
    }

    /// <summary>Takes one out, unless it was before.</summary>
    internal void Remove(ViewWaiter waiter)
    {
        if (!waiter.IsListed)
        {
            return;
        }

        if (waiter.Before is { } before)
        {
            before.After = waiter.After;
        }
        else
        {
            First = waiter.After;
        }

        if (waiter.After is { } after)
        {
            after.Before = waiter.Before;
        }
        else
        {
            Last = waiter.Before;
        }

        (waiter.Before, waiter.After, waiter.IsListed) = (null, null, false);
        Count--;
    }
}
