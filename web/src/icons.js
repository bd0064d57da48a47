// Line drawings for buttons, 20 x 20.

const drawings = {
    grab: '<path d="M6.5 9V5a1.4 1.4 0 0 1 2.8 0v3.5M9.3 8V3.9a1.4 1.4 0 0 1 2.8 0V8m0 .3V5a1.4 1.4 0 0 1 2.8 0v6.5' +
        'c0 3.3-1.9 5.5-5 5.5-2.4 0-3.6-1-4.6-2.8L3.6 11.3c-.8-1.5 1-2.6 2-1.3L6.5 11"/>',
    push: '<circle cx="6.5" cy="10" r="3.7"/>' +
        '<path d="M12 3.5c3.6 1.5 5 3.7 5 6.5s-1.4 5-5 6.5' +
        'c1.3-2.2 1.3-3.6-.6-5.2.5-1 .5-1.6 0-2.6 1.9-1.6 1.9-3 .6-5.2z"/>',
    pin: '<path d="M12.2 2.8l5 5-2.5.7-3 3 .2 3.2-1.3 1.3-6.6-6.6 1.3-1.3 3.2.2 3-3zM7 13l-4.2 4.2"/>',
    play: '<path d="M6.5 4.2v11.6L15.5 10z" fill="currentColor"/>',
    pause: '<path d="M6.5 4.5v11M13.5 4.5v11" stroke-width="2.6"/>',
    step: '<path d="M5 4.5v11l7.5-5.5z" fill="currentColor"/><path d="M15 4.5v11" stroke-width="2.2"/>',
    reset: '<path d="M4.2 8.2A6.3 6.3 0 1 1 3.7 11M4 3.8v4.6h4.6"/>',
    record: '<circle cx="10" cy="10" r="4.8" fill="currentColor"/>',
    stop: '<rect x="5.5" y="5.5" width="9" height="9" rx="1.5" fill="currentColor"/>',
    open: '<path d="M10 12.5V3.5M6.3 7L10 3.3 13.7 7M3.5 12v3.2c0 .8.5 1.3 1.3 1.3h10.4c.8 0 1.3-.5 1.3-1.3V12"/>',
    save: '<path d="M10 3.5v9M6.3 9L10 12.7 13.7 9M3.5 12v3.2c0 .8.5 1.3 1.3 1.3h10.4c.8 0 1.3-.5 1.3-1.3V12"/>',
    help: '<path d="M7.3 7.3a2.7 2.7 0 1 1 4.2 2.3c-1 .6-1.5 1.2-1.5 2.3M10 14.8v.2"/>' +
        '<circle cx="10" cy="10" r="7.2"/>',
    theme: '<circle cx="10" cy="10" r="6.5"/><path d="M10 3.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/>',
    plots: '<path d="M3 16.5h14M4 12.5l3.5-4 3 2.5L16 4.5"/>',
    panel: '<rect x="3" y="4" width="14" height="12" rx="1.5"/><path d="M12 4v12"/>',
    frame: '<path d="M3.5 7V3.5H7M13 3.5h3.5V7M16.5 13v3.5H13M7 16.5H3.5V13"/><circle cx="10" cy="10" r="2.5"/>',
    lock: '<rect x="4.5" y="9" width="11" height="7.5" rx="1.5"/><path d="M7 9V6.5a3 3 0 0 1 6 0V9"/>',
    unlock: '<rect x="4.5" y="9" width="11" height="7.5" rx="1.5"/><path d="M7 9V6a3 3 0 0 1 5.7-1.3"/>',
    arrange: '<path d="M10 2.8v14.4M2.8 10h14.4M10 2.8L7.8 5M10 2.8L12.2 5M10 17.2L7.8 15M10 17.2l2.2-2.2M2.8 10L5 7.8M2.8 10L5 12.2M17.2 10L15 7.8M17.2 10L15 12.2"/>',
    undo: '<path d="M7 4.2L3.2 8 7 11.8M3.6 8h8a4.4 4.4 0 0 1 0 8.8H8"/>',
    redo: '<path d="M13 4.2L16.8 8 13 11.8M16.4 8h-8a4.4 4.4 0 0 0 0 8.8H12"/>',
    add: '<path d="M10 3.5v13M3.5 10h13" stroke-width="2"/>',
    duplicate: '<rect x="3.2" y="3.2" width="9.4" height="9.4" rx="1.5"/><path d="M7.4 16.8h7.9c.8 0 1.5-.7 1.5-1.5V7.4"/>',
    remove: '<path d="M4 5.5h12M8 5.3V3.4h4v1.9M5.4 5.5l.7 11h7.8l.7-11M8.4 8.5v5M11.6 8.5v5"/>',
    camera: '<path d="M3 6.5h3.2L7.5 4.4h5l1.3 2.1H17v9.2H3z"/><circle cx="10" cy="10.8" r="2.9"/>',
    video: '<rect x="2.8" y="5.5" width="10" height="9" rx="1.5"/><path d="M12.8 9l4.4-2.4v6.8L12.8 11"/>',
    loop: '<path d="M4 10a4.5 4.5 0 0 1 4.5-4.5h6.7M12.9 3.2l2.5 2.3-2.5 2.3M16 10a4.5 4.5 0 0 1-4.5 4.5H4.8M7.1 16.8l-2.5-2.3 2.5-2.3"/>',
    gallery: '<rect x="3" y="3" width="6" height="6" rx="1"/><rect x="11" y="3" width="6" height="6" rx="1"/><rect x="3" y="11" width="6" height="6" rx="1"/><rect x="11" y="11" width="6" height="6" rx="1"/>',
    close: '<path d="M5 5l10 10M15 5L5 15"/>',
};

/** @typedef {keyof typeof drawings} IconName */

/** @param {IconName} name @returns {SVGElement} */
export function icon(name) {
    const template = document.createElement('template');
    template.innerHTML = `<svg class="icon" viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor"
        stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${drawings[name]}</svg>`;
    return /** @type {SVGElement} */ (template.content.firstElementChild);
}
